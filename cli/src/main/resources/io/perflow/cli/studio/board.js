// The large map, on which sensors are placed, moved and removed by mouse, finger and keys.
import { across, coordinate, direction, height, label, move, place, ticks, upwards, width } from './grid.js';
import { bar, paint, scale } from './paint.js';
import { add, changed, names, readsShown, remove, select } from './sensors.js';
import { on, short, state, tell } from './state.js';

const $ = id => document.getElementById(id);
const board = $('board');
const cross = { x: 0, y: 0 };
let dragged = null;

export const TITLES = { mean: 'mean', deviation: 'standard deviation', error: '|mean − truth|', truth: 'truth', sample: 'sample' };

function draw() {
  if (!state.model) return;
  const { layer } = state;
  const colors = scale(layer);
  const quantity = state.model.quantities[state.quantity];
  paint($('board-map'), layer, colors);
  bar($('board-bar'), colors, quantity.unit);
  const number = layer.kind === 'sample' ? ` ${layer.index + 1}` : '';
  const by = layer.kind === 'truth' ? '' : `, ${layer.method}`;
  $('layer-title').textContent = `${TITLES[layer.kind]}${number} of ${label(quantity)}${by}`;
}

function axes() {
  const ratio = Math.min(3, Math.max(1 / 3, width() / height()));
  board.style.aspectRatio = String(ratio);
  $('x-name').textContent = label(across());
  $('y-name').textContent = label(upwards());
  $('x-ticks').replaceChildren(...ticks(across()).map(t => tick(t, 'left', t.part)));
  $('y-ticks').replaceChildren(...ticks(upwards()).map(t => tick(t, 'top', 1 - t.part)));
  [cross.x, cross.y] = [Math.floor(width() / 2), Math.floor(height() / 2)];
  showCross();
}

function tick({ value }, side, part) {
  const span = document.createElement('span');
  span.textContent = short(value);
  span.style[side] = `${100 * part}%`;
  return span;
}

function showCross() {
  $('cross').style.left = `${(100 * (cross.x + 0.5)) / width()}%`;
  $('cross').style.top = `${100 - (100 * (cross.y + 0.5)) / height()}%`;
}

// ---- sensors as buttons, kept by their number so that focus survives a change

function drawSensors() {
  const holder = $('sensors');
  holder.classList.toggle('many', state.sensors.length > 60);
  const there = new Map([...holder.children].map(b => [Number(b.dataset.id), b]));
  for (const s of state.sensors) {
    const button = there.get(s.id) ?? holder.appendChild(document.createElement('button'));
    there.delete(s.id);
    const { x, y } = place(s);
    const line = direction(s.along);
    button.dataset.id = s.id;
    button.type = 'button';
    button.className = `sensor ${line} ${readsShown(s) ? '' : 'other'}`;
    button.style.left = line === 'across' ? '0' : `${(100 * (x + 0.5)) / width()}%`;
    button.style.top = line === 'up' ? '0' : `${100 - (100 * (y + 0.5)) / height()}%`;
    button.setAttribute('aria-pressed', String(s === state.selected));
    const at = [line === 'across' ? '' : `${across().name} ${short(coordinate(across(), x))}`,
      line === 'up' ? '' : `${upwards().name} ${short(coordinate(upwards(), y))}`].filter(Boolean).join(', ');
    button.setAttribute('aria-label', `Sensor ${s.id} at ${at}, reads ${names(s)}`);
    button.title = button.getAttribute('aria-label');
  }
  there.forEach(button => button.remove());
  $('sensor-count').textContent = `(${state.sensors.length})`;
}

const sensorOf = target => {
  const button = target.closest?.('.sensor');
  return button && state.sensors.find(s => s.id === Number(button.dataset.id));
};

// ---- mouse and finger

/** The cell under a pointer. */
export function under(event, element) {
  const box = element.getBoundingClientRect();
  return {
    x: Math.min(width() - 1, Math.max(0, Math.floor((width() * (event.clientX - box.left)) / box.width))),
    y: Math.min(height() - 1, Math.max(0, Math.floor(height() * (1 - (event.clientY - box.top) / box.height)))),
  };
}

board.addEventListener('pointerdown', event => {
  if (event.button !== 0 || !state.model) return;
  const found = sensorOf(event.target);
  dragged = { sensor: found, moved: false, at: [event.clientX, event.clientY] };
  if (found) {
    select(found);
    board.setPointerCapture(event.pointerId);
  }
});

board.addEventListener('pointermove', event => {
  if (!state.model) return;
  const at = under(event, board);
  if (dragged?.sensor) {
    const far = Math.hypot(event.clientX - dragged.at[0], event.clientY - dragged.at[1]) > 3;
    dragged.moved ||= far;
    const before = place(dragged.sensor);
    if (dragged.moved && (before.x !== at.x || before.y !== at.y)) {
      move(dragged.sensor, at.x, at.y);
      changed(true);
    }
  }
  state.point = at;
  tell('point');
});

board.addEventListener('pointerup', event => {
  if (!dragged || !state.model) return;
  const { sensor, moved, at } = dragged;
  dragged = null;
  if (sensor) {
    if (moved) changed();
    board.querySelector(`[data-id="${sensor.id}"]`)?.focus({ preventScroll: true });
  } else if (Math.hypot(event.clientX - at[0], event.clientY - at[1]) < 6) {
    const { x, y } = under(event, board);
    add(x, y);
  }
});

board.addEventListener('pointercancel', () => { dragged = null; });

// ---- keys

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

board.addEventListener('keydown', event => {
  if (!state.model) return;
  const found = sensorOf(event.target);
  const step = STEPS[event.key]?.map(s => s * (event.shiftKey ? 5 : 1));
  if (found && step) {
    const { x, y } = place(found);
    move(found, Math.round(x) + step[0], Math.round(y) + step[1]);
    select(found);
    changed();
  } else if (found && (event.key === 'Delete' || event.key === 'Backspace')) {
    const next = event.target.nextElementSibling ?? event.target.previousElementSibling ?? board;
    remove(found);
    next.focus();
  } else if (found && (event.key === 'Enter' || event.key === ' ')) {
    select(found);
  } else if (!found && step) {
    cross.x = Math.min(width() - 1, Math.max(0, cross.x + step[0]));
    cross.y = Math.min(height() - 1, Math.max(0, cross.y + step[1]));
    showCross();
    state.point = { ...cross };
    tell('point');
  } else if (!found && (event.key === 'Enter' || event.key === ' ')) {
    add(cross.x, cross.y);
  } else {
    return;
  }
  event.preventDefault();
});

$('sensors').addEventListener('focusin', event => {
  const found = sensorOf(event.target);
  if (found && found !== state.selected) select(found);
});

on('model', axes);
on('fields', draw);
on('layer', draw);
on('layer', drawSensors);
on('sensors', drawSensors);
on('selected', drawSensors);
