// The sensors of the page: how they come, go and move. Every change tells "sensors", and "changed" asks for a new result.
import { across, direction, move, upwards } from './grid.js';
import { cells, channel, frames, state, tell } from './state.js';

let nextId = 1;

export const kind = { along: '', reads: 'shown', noise: 0.01 };

/** The channels that new sensors read, from what the person chose. */
export function channels(quantity = state.quantity) {
  const all = state.model.quantities.map((_, q) => q);
  const every = Array.from({ length: frames() }, (_, f) => f);
  const quantities = kind.reads === 'all' || kind.reads === 'quantities' ? all : [quantity];
  const times = kind.reads === 'all' || kind.reads === 'frames' ? every : [state.frame];
  return quantities.flatMap(q => times.map(f => q * frames() + f));
}

export function sensor(x, y, quantity) {
  const made = { id: nextId++, row: 0, column: 0, channels: channels(quantity), noise: kind.noise };
  if (kind.along) made.along = kind.along;
  move(made, x, y);
  if (!state.source) {
    // nothing is known here: the mean is a number to begin with, and the person gives the right one
    delete made.along;
    made.values = made.channels.map(c => state.guess.mean?.[c * cells() + made.row * state.model.columns.at.length + made.column] ?? 0);
    made.sigmas = made.channels.map(() => 0);
  }
  return made;
}

export function add(x, y) {
  const made = sensor(x, y);
  state.sensors.push(made);
  select(made);
  changed();
  return made;
}

export function remove(gone) {
  state.sensors = state.sensors.filter(s => s !== gone);
  if (state.selected === gone) state.selected = null;
  changed();
}

export function replace(sensors) {
  state.sensors = sensors;
  nextId = Math.max(0, ...sensors.map(s => s.id)) + 1;
  state.selected = null;
  changed();
}

export function select(one) {
  state.selected = one;
  tell('selected');
}

export function changed(quick = false) {
  tell('sensors', 'selected', quick ? 'moving' : 'changed');
}

/** Sensors at random places, as many for each quantity where quantities have sensors of their own. */
export function random(count) {
  const w = across().at.length;
  const h = upwards().at.length;
  const quantities = kind.reads === 'shown' || kind.reads === 'frames' ? state.model.quantities.map((_, q) => q) : [0];
  const made = [];
  for (const q of quantities) {
    const line = direction(kind.along);
    const room = line === 'across' ? h : line === 'up' ? w : w * h;
    const used = new Set();
    while (used.size < Math.min(count, room)) used.add(Math.floor(Math.random() * room));
    for (const i of used) {
      made.push(line === 'across' ? sensor(0, i, q) : line === 'up' ? sensor(i, 0, q) : sensor(i % w, Math.floor(i / w), q));
    }
  }
  return made;
}

/** The sensors that a model begins with: those of its law, but a handful where it has hundreds. */
export function usual() {
  const law = state.model.sensors;
  kind.along = law.along ?? '';
  kind.reads = law.sharing === 'independent' ? 'shown' : 'all';
  if (law.places.length) {
    return law.places.map(([row, column]) => {
      const made = sensor(0, 0);
      [made.row, made.column] = [row, column];
      return made;
    });
  }
  return random(Math.min(law.count, 30));
}

export const readsShown = s => s.channels.includes(channel());

export function names(s) {
  const f = frames();
  const found = [...new Set(s.channels.map(c => state.model.quantities[Math.floor(c / f)].name))].join(', ');
  const times = new Set(s.channels.map(c => c % f)).size;
  return f > 1 ? `${found} at ${times === f ? 'all frames' : times === 1 ? `frame ${s.channels[0] % f + 1}` : `${times} frames`}` : found;
}
