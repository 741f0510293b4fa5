// What is known at the point under the mouse: quantiles and a histogram of the samples.
import { element, frame } from './chart.js';
import { across, cell, coordinate, upwards } from './grid.js';
import { cells, channel, field, on, result, short, state } from './state.js';

const text = document.getElementById('point-text');
const svg = document.getElementById('histogram');
const LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95];
const NORMAL = [-1.645, -0.674, 0, 0.674, 1.645]; // deviations from the mean of a Gaussian at these levels

const value = (all, at) => all?.[channel() * cells() + at];

/** The samples at a cell, spread about their mean until they have the calibrated deviation. */
function samples(method, at) {
  const { samples: drawn, judged } = result(method);
  const found = drawn.map(s => value(s, at));
  if (!judged || found.length < 2) return found;
  const mean = found.reduce((a, b) => a + b, 0) / found.length;
  const own = Math.sqrt(found.reduce((a, b) => a + (b - mean) ** 2, 0) / found.length);
  const wanted = value(field({ method, kind: 'deviation' }), at);
  return own > 0 && Number.isFinite(wanted) ? found.map(v => mean + (wanted / own) * (v - mean)) : found;
}

function quantile(sorted, p) {
  const place = p * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(sorted.length - 1, below + 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

function draw() {
  svg.replaceChildren();
  if (!state.model || !state.point) {
    text.textContent = 'Move over a map, or move its cross by the arrow keys.';
    return;
  }
  const { x, y } = state.point;
  const { method } = state.layer;
  const at = cell(x, y);
  const quantity = state.model.quantities[state.quantity];
  const unit = quantity.unit ? ` ${quantity.unit}` : '';
  const mean = value(field({ method, kind: 'mean' }), at);
  const deviation = value(field({ method, kind: 'deviation' }), at);
  const truth = value(state.truth, at);
  const drawn = samples(method, at).sort((a, b) => a - b);
  const levels = drawn.length > 1 ? LEVELS.map(p => quantile(drawn, p)) : NORMAL.map(z => mean + z * deviation);
  const known = Number.isFinite(levels[0]);
  text.textContent = `${quantity.name} at ${across().name} ${short(coordinate(across(), x))}, ${upwards().name} ${short(coordinate(upwards(), y))}: `
    + (Number.isFinite(mean) ? `${short(mean, 4)} ± ${short(deviation, 2)}${unit}` : 'not known yet')
    + (truth === undefined ? '' : `, truth ${short(truth, 4)}${unit}`)
    + (known ? `. Quantiles ${LEVELS.map((p, i) => `${100 * p}\u00a0%:\u00a0${short(levels[i])}`).join(', ')}` : '');
  if (!known) return;
  const all = [...drawn, ...levels, ...(truth === undefined ? [] : [truth])];
  let [low, high] = [Math.min(...all), Math.max(...all)];
  const pad = 0.05 * (high - low) || 1;
  [low, high] = [low - pad, high + pad];
  const count = Math.max(5, Math.min(16, Math.ceil(1.5 * Math.sqrt(drawn.length))));
  const bins = new Array(count).fill(0);
  for (const v of drawn) bins[Math.min(count - 1, Math.floor((count * (v - low)) / (high - low)))]++;
  const chart = frame(svg, [low, high], [0, Math.max(1, ...bins)], { left: 8, right: 8, top: 14, bottom: 20 });
  bins.forEach((n, i) => {
    if (!n) return;
    const from = chart.x(low + (i * (high - low)) / count);
    const to = chart.x(low + ((i + 1) * (high - low)) / count);
    svg.append(element('rect', { class: 'bin', x: from + 0.5, y: chart.y(n), width: Math.max(1, to - from - 1), height: chart.bottom - chart.y(n) }));
  });
  svg.append(element('line', { class: 'axis', x1: chart.left, x2: chart.right, y1: chart.bottom, y2: chart.bottom }));
  let labelled = -Infinity; // labels that would overlap are left out
  for (const i of [0, 2, 4]) {
    const px = chart.x(levels[i]);
    svg.append(element('line', { class: 'quantile', x1: px, x2: px, y1: chart.top, y2: chart.bottom }));
    if (px - labelled < 30) continue;
    labelled = px;
    svg.append(element('text', { x: px, y: 10, 'text-anchor': 'middle' }, `${100 * LEVELS[i]} %`));
  }
  if (truth !== undefined) svg.append(element('line', { class: 'truth', x1: chart.x(truth), x2: chart.x(truth), y1: chart.top, y2: chart.bottom }));
  svg.append(element('text', { x: chart.left, y: chart.bottom + 14 }, short(low)));
  svg.append(element('text', { x: chart.right, y: chart.bottom + 14, 'text-anchor': 'end' }, short(high) + unit));
}

let asked = false;
function later() {
  if (!asked) requestAnimationFrame(() => { asked = false; draw(); });
  asked = true;
}

on('point', later);
on('fields', later);
on('layer', later);
