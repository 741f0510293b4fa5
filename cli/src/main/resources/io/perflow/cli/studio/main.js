// Starts the page: which models there are, which field is read, and what happens when one of them changes.
import { get, numbers, post, upload } from './api.js';
import './board.js';
import './cut.js';
import './gallery.js';
import './panel.js';
import './point.js';
import { alertLine, status, stop } from './run.js';
import { replace, usual } from './sensors.js';
import { page, state, tell } from './state.js';

const $ = id => document.getElementById(id);
const OWN = ''; // the source of a person's own readings

const MOST_TABLE = 4e6; // bytes, as the server takes them

let latest = 0; // of the choices of a model, a field or a table: answers to earlier ones are late

/** Does what a choice asks for; what it waits for is undefined when another choice came meanwhile. */
async function attempt(what) {
  const mine = ++latest;
  const late = Symbol('late');
  const unlessLate = async promise => {
    const found = await promise;
    if (mine !== latest) throw late;
    return found;
  };
  try {
    await what(unlessLate);
  } catch (e) {
    if (e === late || mine !== latest) return;
    alertLine(e.message);
    status('');
  }
}

async function openModel(id, unlessLate) {
  stop();
  alertLine('');
  status('loading the model …');
  const model = await unlessLate(post('open', { page, model: id }));
  Object.assign(state, {
    model, modelId: id, truth: null, guess: {}, results: {}, sensors: [], selected: null, commands: {},
    quantity: 0, frame: 0, index: 0, point: null, methods: [model.methods[0]],
    layer: { method: model.methods[0], kind: 'mean', index: 0 },
  });
  const sources = Object.keys(model.fields);
  $('source').replaceChildren(...sources.map(name => new Option(name, name)), new Option('own readings', OWN));
  $('index').value = 0;
  await openField(sources[0] ?? OWN, 0, true, unlessLate);
  if (model.notes.length) status(model.notes.join('; '));
}

async function openField(source, number, fresh, unlessLate) {
  stop();
  state.source = source || null;
  $('source').value = source;
  $('index-label').hidden = !source;
  if (source) {
    $('index').max = state.model.fields[source] - 1;
    const index = Math.min(Math.max(0, Math.round(number) || 0), Number($('index').max));
    $('index').value = index;
    status('reading the field …');
    const { truth } = await unlessLate(post('field', { model: state.modelId, field: { source, index } }));
    [state.truth, state.index] = [numbers(truth), index];
  } else {
    state.truth = null;
  }
  if (!state.truth && (state.layer.kind === 'truth' || state.layer.kind === 'error')) state.layer = { ...state.layer, kind: 'mean' };
  tell('truth');
  // sensors that measured nothing have no place where there is nothing to measure, and the other way round
  const sensors = fresh ? (source ? usual() : []) : state.sensors.filter(s => Boolean(s.values) === !source);
  tell('model', 'layer');
  replace(sensors.length || !source ? sensors : usual());
}

$('model').addEventListener('change', () => attempt(unlessLate => openModel($('model').value, unlessLate)));
$('source').addEventListener('change', () => attempt(unlessLate => openField($('source').value, 0, false, unlessLate)));
$('index').addEventListener('change', () => attempt(unlessLate => openField(state.source, Number($('index').value), false, unlessLate)));
$('table').addEventListener('change', () => attempt(async unlessLate => {
  const [file] = $('table').files;
  if (!file) return;
  if (file.size > MOST_TABLE) {
    $('table').value = '';
    throw new Error(`${file.name} has ${(file.size / 1e6).toFixed(1)} MB, and the page takes tables of at most ${MOST_TABLE / 1e6} MB; perflow reconstruct --observations reads larger ones`);
  }
  const query = new URLSearchParams({ model: state.modelId, name: file.name });
  const text = await unlessLate(file.text());
  $('table').value = ''; // so that the same file can be chosen again after an edit
  const { sensors, notes } = await unlessLate(upload(`readings?${query}`, text));
  await openField(OWN, 0, true, unlessLate);
  replace(sensors);
  if (notes.length) alertLine(`${file.name}: ${notes.join('; ')}`);
}));

attempt(async unlessLate => {
  const { models, colors } = await unlessLate(get('models'));
  state.colors = colors;
  $('model').replaceChildren(...models.map(m => new Option(`${m.name}${m.bytes ? ` (${(m.bytes / 1e6).toFixed(1)} MB)` : ''}`, m.id)));
  watch();
  await openModel(models[0].id, unlessLate);
});

// Says so when the server has ended, before a person waits for an answer.
function watch() {
  setTimeout(async () => {
    try {
      if (!document.hidden) await get('alive');
      watch();
    } catch (e) {
      stop();
      alertLine(e.message);
      status('');
    }
  }, 2000);
}
