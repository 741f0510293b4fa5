// All fields of all methods as small maps. The one that is chosen is the large map.
import { TITLES, under } from './board.js';
import { paint, scale } from './paint.js';
import { field, on, result, short, state, tell } from './state.js';

const gallery = document.getElementById('gallery');
const made = new Map(); // figures by what they show

const key = layer => `${layer.method}/${layer.kind}/${layer.index}`;

function figure(layer, into) {
  let found = made.get(key(layer));
  if (!found) {
    const element = document.createElement('figure');
    const button = document.createElement('button');
    const canvas = document.createElement('canvas');
    const caption = document.createElement('figcaption');
    button.type = 'button';
    button.append(canvas);
    element.append(button, caption);
    element.classList.toggle('sample', layer.kind === 'sample');
    button.addEventListener('click', () => {
      state.layer = layer;
      tell('layer');
    });
    canvas.addEventListener('pointermove', event => {
      state.point = under(event, canvas);
      tell('point');
    });
    found = { element, button, canvas, caption };
    made.set(key(layer), found);
  }
  if (found.element.parentElement !== into) into.append(found.element);
  found.element.hidden = !paint(found.canvas, layer, scale(layer));
  const title = layer.kind === 'sample' ? String(layer.index + 1) : TITLES[layer.kind];
  found.caption.textContent = title + detail(layer);
  found.button.setAttribute('aria-label', `Show ${layer.kind === 'truth' ? '' : layer.method} ${TITLES[layer.kind]} ${layer.kind === 'sample' ? title : ''}`);
  found.button.setAttribute('aria-pressed', String(key(layer) === key(state.layer)));
}

// the error relative to the truth, over all quantities and frames
function detail(layer) {
  const all = layer.kind === 'error' || layer.kind === 'sample' ? field({ ...layer, kind: layer.kind === 'error' ? 'mean' : 'sample' }) : null;
  if (!all || !state.truth || layer.kind === 'sample') return '';
  return `, Rel-l2 ${short(relative(all))}`;
}

// |x - truth| / |truth|, the mean over quantities
function relative(all) {
  const quantities = state.model.quantities.length;
  const size = all.length / quantities;
  let sum = 0;
  for (let q = 0; q < quantities; q++) {
    let off = 0;
    let whole = 0;
    for (let i = q * size; i < (q + 1) * size; i++) {
      off += (all[i] - state.truth[i]) ** 2;
      whole += state.truth[i] ** 2;
    }
    sum += Math.sqrt(off / whole) / quantities;
  }
  return sum;
}

function row(method) {
  let element = gallery.querySelector(`[data-method="${method}"]`);
  if (!element) {
    element = document.createElement('div');
    element.className = 'row';
    element.dataset.method = method;
    element.innerHTML = '<h3></h3><div class="maps"><div class="samples"></div></div>';
    gallery.append(element);
  }
  return element;
}

function draw() {
  if (!state.model) return;
  for (const old of [...gallery.children]) if (!state.methods.includes(old.dataset.method)) old.remove();
  state.methods.forEach((method, number) => {
    const element = row(method);
    const maps = element.querySelector('.maps');
    const samples = element.querySelector('.samples');
    const { judged, samples: drawn } = result(method);
    const first = judged?.samples ? `mean of ${judged.samples} samples, ${short(judged.seconds, 2)} s` : state.guess.mean ? 'first guess: mean of kriging' : '';
    element.querySelector('h3').innerHTML = '';
    element.querySelector('h3').append(`${method} `, Object.assign(document.createElement('small'), { textContent: first }));
    if (state.truth && number === 0) figure({ method, kind: 'truth', index: 0 }, maps);
    for (const kind of ['mean', 'deviation', ...(state.truth ? ['error'] : [])]) figure({ method, kind, index: 0 }, maps);
    maps.append(samples);
    for (let i = 0; i < drawn.length; i++) figure({ method, kind: 'sample', index: i }, samples);
    for (const child of [...samples.children].slice(drawn.length)) child.hidden = true;
  });
}

function forget() {
  made.clear();
  gallery.replaceChildren();
}

on('model', forget);
on('truth', forget);
on('fields', draw);
on('layer', draw);
