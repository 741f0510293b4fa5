// What the page knows, and who wants to hear of changes.

export const page = Array.from(crypto.getRandomValues(new Uint8Array(8)), b => b.toString(16).padStart(2, '0')).join('');

export const state = {
  model: null, // what api/open tells of the model
  modelId: '',
  colors: {},
  source: null, // null for readings of one's own
  index: 0,
  truth: null, // Float32Array of all channels
  quantity: 0,
  frame: 0,
  sensors: [],
  selected: null,
  methods: [],
  guess: {}, // mean and deviation of kriging
  results: {}, // by method: mean, deviation, samples, judged
  layer: { method: null, kind: 'mean', index: 0 },
  point: null, // {x, y}: the cell under the mouse
  commands: {},
  done: false,
};

const listeners = {};

export function on(topic, listener) {
  (listeners[topic] ??= []).push(listener);
}

export function tell(...topics) {
  for (const topic of topics) for (const listener of listeners[topic] ?? []) listener();
}

export const frames = () => state.model?.frames?.at.length ?? 1;
export const channel = () => state.quantity * frames() + state.frame;
export const cells = () => state.model.rows.at.length * state.model.columns.at.length;

export function result(method) {
  return (state.results[method] ??= { samples: [] });
}

/** All channels of a layer, or null when it is not there yet. */
export function field({ method, kind, index }) {
  const made = state.results[method] ?? { samples: [] };
  switch (kind) {
    case 'truth': return state.truth;
    case 'mean': return made.mean ?? state.guess.mean ?? made.samples[0] ?? null;
    case 'deviation': return made.deviation ?? state.guess.deviation ?? null;
    case 'sample': return made.samples[index] ?? null;
    case 'error': {
      const mean = field({ method, kind: 'mean' });
      if (!mean || !state.truth) return null;
      if (made.errorOf !== mean) {
        made.errorOf = mean;
        made.error = mean.map((value, i) => Math.abs(value - state.truth[i]));
      }
      return made.error;
    }
  }
  return null;
}

/** The part of a field that is shown: one quantity at one frame, as rows of columns. */
export function plane(layer) {
  const all = field(layer);
  return all?.subarray(channel() * cells(), (channel() + 1) * cells()) ?? null;
}

/** Numbers for people. */
export function short(x, digits = 3) {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(digits - 1).replace('e+', 'e');
  return String(Number(x.toPrecision(digits)));
}
