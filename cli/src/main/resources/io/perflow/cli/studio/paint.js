// Fields in colours.
import { cell, height, width } from './grid.js';
import { cells, field, frames, plane, short, state } from './state.js';

/**
 * The colours of a layer: map, low and high. Mean, truth and samples share theirs; so do deviations and errors, of all methods,
 * so that a darker map is a worse one.
 */
export function scale(layer) {
  if (layer.kind === 'deviation' || layer.kind === 'error') {
    let most = 0;
    for (const method of state.methods) {
      for (const kind of ['deviation', 'error']) most = Math.max(most, extent(field({ method, kind }))[1]);
    }
    return { map: 'error', low: 0, high: most > 0 ? most : 1 };
  }
  let [low, high] = extent(state.truth ?? field({ ...layer, kind: 'mean' }));
  if (!(low <= high)) return { map: 'sequential', low: 0, high: 1 };
  const most = Math.max(-low, high);
  if (low < -0.1 * most && high > 0.1 * most) return { map: 'diverging', low: -most, high: most };
  if (low === high) high = low + 1;
  return { map: 'sequential', low, high };
}

// over all frames of the quantity that is shown, so that colours keep their meaning while time runs
function extent(all) {
  let low = Infinity;
  let high = -Infinity;
  if (all) {
    const from = state.quantity * frames() * cells();
    for (let i = from; i < from + frames() * cells(); i++) {
      if (all[i] < low) low = all[i];
      if (all[i] > high) high = all[i];
    }
  }
  return [low, high];
}

/** Paints a layer; false when it is not there yet. */
export function paint(canvas, layer, colors = scale(layer)) {
  const values = plane(layer);
  const w = width();
  const h = height();
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext('2d');
  if (!values) {
    context.clearRect(0, 0, w, h);
    return false;
  }
  const image = context.createImageData(w, h);
  const table = state.colors[colors.map];
  const steps = table.length - 1;
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const part = (values[cell(x, y)] - colors.low) / (colors.high - colors.low);
      const rgb = table[Math.round(Math.min(1, Math.max(0, part)) * steps)];
      const at = 4 * ((h - 1 - y) * w + x);
      image.data[at] = rgb >> 16;
      image.data[at + 1] = (rgb >> 8) & 255;
      image.data[at + 2] = rgb & 255;
      image.data[at + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return true;
}

/** A colour bar with three numbers and the unit. */
export function bar(element, colors, unit) {
  const canvas = element.querySelector('canvas') ?? element.appendChild(document.createElement('canvas'));
  const table = state.colors[colors.map];
  [canvas.width, canvas.height] = [1, table.length];
  const context = canvas.getContext('2d');
  table.forEach((rgb, i) => {
    context.fillStyle = `#${rgb.toString(16).padStart(6, '0')}`;
    context.fillRect(0, table.length - 1 - i, 1, 1);
  });
  element.querySelectorAll('span').forEach(span => span.remove());
  for (const part of [1, 0.5, 0]) {
    const span = document.createElement('span');
    span.textContent = short(colors.low + part * (colors.high - colors.low)) + (part === 1 && unit ? ` ${unit}` : '');
    span.style.top = `${100 * (1 - part)}%`;
    element.append(span);
  }
}
