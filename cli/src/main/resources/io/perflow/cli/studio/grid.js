// Where things are on a map. A map has x to the right and y upwards; which axis of the grid is which, the model says.
import { state } from './state.js';

export const across = () => (state.model.columnsAcross ? state.model.columns : state.model.rows);
export const upwards = () => (state.model.columnsAcross ? state.model.rows : state.model.columns);
export const width = () => across().at.length;
export const height = () => upwards().at.length;

/** The number of a cell in a plane. */
export function cell(x, y) {
  return state.model.columnsAcross ? y * width() + x : x * height() + y;
}

/** The place of a sensor in cells to the right and upwards. */
export function place(sensor) {
  return state.model.columnsAcross ? { x: sensor.column, y: sensor.row } : { x: sensor.row, y: sensor.column };
}

/** Moves a sensor; across a periodic end it comes in again at the other. */
export function move(sensor, x, y) {
  x = within(x, across());
  y = within(y, upwards());
  if (state.model.columnsAcross) [sensor.column, sensor.row] = [x, y];
  else [sensor.row, sensor.column] = [x, y];
}

function within(i, axis) {
  const n = axis.at.length;
  return axis.periodic ? ((i % n) + n) % n : Math.min(n - 1, Math.max(0, i));
}

/** Whether a sensor's line runs to the right ("across"), upwards ("up"), or it is a point (""). */
export function direction(along) {
  if (!along) return '';
  return (along === 'columns') === state.model.columnsAcross ? 'across' : 'up';
}

export const label = axis => (axis.unit ? `${axis.name} [${axis.unit}]` : axis.name);

/** The coordinate of a place between points, too. */
export function coordinate(axis, i) {
  const spacing = axis.at.length > 1 ? axis.at[1] - axis.at[0] : 0;
  return axis.at[0] + i * spacing;
}

/** Round numbers between two, with their parts of the way through the cells. */
export function ticks(axis, most = 5) {
  const spacing = axis.at.length > 1 ? axis.at[1] - axis.at[0] : 1;
  return round(axis.from, axis.to, most).map(value => ({
    value,
    part: ((value - axis.at[0]) / spacing + 0.5) / axis.at.length,
  })).filter(({ part }) => part >= -0.001 && part <= 1.001);
}

export function round(low, high, most) {
  if (!(high > low)) return [low];
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough * 0.999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(Number((i * step).toPrecision(12)));
  return found;
}
