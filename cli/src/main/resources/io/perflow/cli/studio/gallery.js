// All fields of all methods as small maps: the methods one below the other, so that the same of each stands in one column,
// and their samples below. The one that is chosen is the large map.
import { TITLES, under } from './board.js';
import { paint, scale } from './paint.js';
import { field, on, result, short, state, tell } from './state.js';

const gallery = document.getElementById('gallery');
const drawings = document.getElementById('drawings');
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
    element.className = layer.kind;
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
  const title = layer.kind === 'sample' ? String(layer.index + 1) : layer.kind === 'error' ? 'error' : TITLES[layer.kind];
  found.caption.textContent = title + detail(layer);
  found.button.setAttribute('aria-label', `Show ${layer.kind === 'truth' ? '' : layer.method} ${TITLES[layer.kind]} ${layer.kind === 'sample' ? title : ''}`);
  found.button.setAttribute('aria-pressed', String(key(layer) === key(state.layer)));
}

// the error relative to the truth, over all quantities and frames
function detail(layer) {
  const mean = layer.kind === 'error' && field({ ...layer, kind: 'mean' });
  return mean ? `, Rel-l2 ${short(relative(mean))}` : '';
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

/** The part of a holder that belongs to a method, made when it is asked for first. */
function part(holder, method, html) {
  let element = holder.querySelector(`[data-method="${method}"]`);
  if (!element) {
    element = document.createElement('div');
    element.className = 'row';
    element.dataset.method = method;
    element.innerHTML = html;
    holder.append(element);
  }
  return element;
}

function draw() {
  if (!state.model) return;
  for (const old of [...gallery.children, ...drawings.children]) if (!state.methods.includes(old.dataset.method)) old.remove();
  gallery.classList.toggle('blind', !state.truth);
  drawings.hidden = !state.methods.some(method => result(method).samples.length);
  state.methods.forEach((method, number) => {
    const { judged, samples } = result(method);
    const row = part(gallery, method, '<h3><span></span> <small></small></h3><div class="maps"></div>');
    row.querySelector('span').textContent = method;
    row.querySelector('small').textContent = judged?.samples ? `mean of ${judged.samples} samples, ${short(judged.seconds, 2)} s`
      : state.guess.mean ? 'first guess: mean of kriging' : '';
    const maps = row.querySelector('.maps');
    if (state.truth && number === 0) figure({ method, kind: 'truth', index: 0 }, maps);
    for (const kind of ['mean', 'deviation', ...(state.truth ? ['error'] : [])]) figure({ method, kind, index: 0 }, maps);
    const strip = part(drawings, method, '<h3></h3><div class="strip"></div>');
    strip.hidden = !samples.length;
    strip.querySelector('h3').textContent = `samples of ${method}`;
    const holder = strip.querySelector('.strip');
    for (let i = 0; i < samples.length; i++) figure({ method, kind: 'sample', index: i }, holder);
    for (const child of [...holder.children].slice(samples.length)) child.hidden = true;
  });
}

function forget() {
  made.clear();
  gallery.replaceChildren();
  drawings.replaceChildren();
}

on('model', forget);
on('truth', forget);
on('fields', draw);
on('layer', draw);
