// Small parts of charts in SVG.
const SVG = 'http://www.w3.org/2000/svg';

export function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** A chart's size in pixels, and maps from numbers to them. */
export function frame(svg, [x0, x1], [y0, y1], room = { left: 44, right: 8, top: 8, bottom: 20 }) {
  const { width: w, height: h } = svg.getBoundingClientRect();
  svg.setAttribute('viewBox', `0 0 ${Math.max(1, w)} ${Math.max(1, h)}`);
  return {
    left: room.left, right: w - room.right, top: room.top, bottom: h - room.bottom,
    x: v => room.left + ((v - x0) / (x1 - x0 || 1)) * (w - room.left - room.right),
    y: v => h - room.bottom - ((v - y0) / (y1 - y0 || 1)) * (h - room.top - room.bottom),
  };
}

export function line(xs, ys, chart, attributes) {
  const points = ys.map((y, i) => `${chart.x(xs[i]).toFixed(1)},${chart.y(y).toFixed(1)}`).join(' ');
  return element('polyline', { points, ...attributes });
}
