// The field along a line through the map. The slider moves the line: through time, where an axis of the grid is time.
import { element, frame, line } from './chart.js';
import { across, cell, height, label, round, upwards, width } from './grid.js';
import { on, plane, result, short, state } from './state.js';

const $ = id => document.getElementById(id);
const svg = $('cut');
const MOST_SAMPLES = 20;

function setUp() {
  $('cut-along').replaceChildren(new Option(label(across()), 'x'), new Option(label(upwards()), 'y'));
  // a picture of space that moves in time says more than the other way round
  $('cut-along').value = across().time ? 'y' : 'x';
  range();
}

function range() {
  const n = $('cut-along').value === 'x' ? height() : width();
  $('cut-at').max = n - 1;
  $('cut-at').value = Math.floor(n / 2);
  draw();
}

function draw() {
  if (!state.model) return;
  const alongX = $('cut-along').value === 'x';
  const [axis, other] = alongX ? [across(), upwards()] : [upwards(), across()];
  const at = Number($('cut-at').value);
  $('cut-name').textContent = `${other.name} = ${short(other.at[at])}${other.unit ? ` ${other.unit}` : ''}`;
  const { method } = state.layer;
  const values = layer => {
    const all = plane(layer);
    return all && axis.at.map((_, i) => all[alongX ? cell(i, at) : cell(at, i)]);
  };
  const mean = values({ method, kind: 'mean' });
  const deviation = values({ method, kind: 'deviation' });
  const truth = state.truth && values({ method, kind: 'truth' });
  svg.replaceChildren();
  if (!mean) return;
  const samples = result(method).samples.slice(0, MOST_SAMPLES).map((_, index) => values({ method, kind: 'sample', index }));
  const band = deviation && [...mean.map((m, i) => m + 2 * deviation[i]), ...mean.map((m, i) => m - 2 * deviation[i]).reverse()];
  const all = [...mean, ...(truth ?? []), ...(band ?? []), ...samples.flat()];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const chart = frame(svg, [axis.from, axis.to], [low, high]);
  for (const v of round(low, high, 3)) {
    svg.append(element('line', { class: 'axis', x1: chart.left, x2: chart.right, y1: chart.y(v), y2: chart.y(v) }));
    svg.append(element('text', { x: chart.left - 4, y: chart.y(v) + 4, 'text-anchor': 'end' }, short(v)));
  }
  for (const v of round(axis.from, axis.to, 4)) svg.append(element('text', { x: chart.x(v), y: chart.bottom + 15, 'text-anchor': 'middle' }, short(v)));
  if (band) {
    const xs = [...axis.at, ...[...axis.at].reverse()];
    svg.append(element('polygon', { class: 'band', points: band.map((v, i) => `${chart.x(xs[i]).toFixed(1)},${chart.y(v).toFixed(1)}`).join(' ') }));
  }
  for (const s of samples) svg.append(line(axis.at, s, chart, { class: 'thin' }));
  svg.append(line(axis.at, mean, chart, { class: 'mean' }));
  if (truth) svg.append(line(axis.at, truth, chart, { class: 'truth' }));
}

$('cut-along').addEventListener('change', range);
$('cut-at').addEventListener('input', draw);
on('model', setUp);
on('fields', draw);
on('layer', draw);
