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

async function attempt(what) {
  try {
    await what();
  } catch (e) {
    alertLine(e.message);
    status('');
  }
}

async function openModel(id) {
  stop();
  alertLine('');
  status('loading the model, which may take some seconds …');
  const model = await post('open', { page, model: id });
  Object.assign(state, {
    model, modelId: id, truth: null, guess: {}, results: {}, sensors: [], selected: null, commands: {},
    quantity: 0, frame: 0, index: 0, point: null, methods: [model.methods[0]],
    layer: { method: model.methods[0], kind: 'mean', index: 0 },
  });
  const sources = Object.keys(model.fields);
  $('source').replaceChildren(...sources.map(name => new Option(name, name)), new Option('own readings', OWN));
  $('index').value = 0;
  await openField(sources[0] ?? OWN, 0, true);
  if (model.notes.length) status(model.notes.join('; '));
}

async function openField(source, index, fresh) {
  stop();
  state.source = source || null;
  $('source').value = source;
  $('index-label').hidden = !source;
  if (source) {
    $('index').max = state.model.fields[source] - 1;
    status('reading the field …');
    const { truth } = await post('field', { model: state.modelId, field: { source, index } });
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

$('model').addEventListener('change', () => attempt(() => openModel($('model').value)));
$('source').addEventListener('change', () => attempt(() => openField($('source').value, 0, false)));
$('index').addEventListener('change', () => attempt(() => openField(state.source, Math.max(0, Math.round(Number($('index').value) || 0)), false)));
$('table').addEventListener('change', () => attempt(async () => {
  const [file] = $('table').files;
  if (!file) return;
  const query = new URLSearchParams({ model: state.modelId, name: file.name });
  const text = await file.text();
  $('table').value = ''; // so that the same file can be chosen again after an edit
  const { sensors, notes } = await upload(`readings?${query}`, text);
  await openField(OWN, 0, true);
  replace(sensors);
  if (notes.length) alertLine(`${file.name}: ${notes.join('; ')}`);
}));

attempt(async () => {
  const { models, colors } = await get('models');
  state.colors = colors;
  $('model').replaceChildren(...models.map(m => new Option(`${m.name}${m.bytes ? ` (${(m.bytes / 1e6).toFixed(1)} MB)` : ''}`, m.id)));
  await openModel(models[0].id);
});
