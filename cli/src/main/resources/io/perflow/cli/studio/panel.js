// The forms beside the map, and the numbers of the result.
import { post } from './api.js';
import { across, coordinate, direction, label, place, upwards } from './grid.js';
import { alertLine, request } from './run.js';
import { add, changed, channels, kind, names, random, remove, replace } from './sensors.js';
import { frames, on, page, result, short, state, tell } from './state.js';

const $ = id => document.getElementById(id);

// ---- what is shown

function quantities() {
  $('quantities').replaceChildren(...state.model.quantities.map((quantity, q) => {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: label(quantity) });
    button.setAttribute('aria-pressed', String(q === state.quantity));
    button.addEventListener('click', () => {
      state.quantity = q;
      quantities();
      tell('layer', 'fields');
    });
    return button;
  }));
  const time = state.model.frames;
  $('frame-label').hidden = !time;
  if (time) {
    $('frame').max = frames() - 1;
    $('frame').value = state.frame;
    $('frame-name').textContent = `${time.name} ${short(time.at[state.frame])}${time.unit ? ` ${time.unit}` : ''}`;
  }
}

$('frame').addEventListener('input', () => {
  state.frame = Number($('frame').value);
  quantities();
  tell('layer', 'fields');
});

// ---- new sensors

function kinds() {
  const line = along => (direction(along) === 'across' ? `lines of ${upwards().name}` : `lines of ${across().name}`);
  $('along').replaceChildren(new Option('points', ''), new Option(line('rows'), 'rows'), new Option(line('columns'), 'columns'));
  $('along').value = kind.along;
  $('along').disabled = !state.source;
  const several = state.model.quantities.length > 1;
  const options = [new Option('what is shown', 'shown')];
  if (frames() > 1) options.push(new Option('all frames', 'frames'));
  if (several) options.push(new Option('all quantities', 'quantities'));
  if (several && frames() > 1) options.push(new Option('everything', 'all'));
  $('reads').replaceChildren(...options);
  const all = several ? (frames() > 1 ? 'all' : 'quantities') : frames() > 1 ? 'frames' : 'shown';
  if (kind.reads === 'all') kind.reads = all;
  $('reads').value = kind.reads;
  $('reads').parentElement.hidden = options.length === 1;
  $('suggest').disabled = !state.model.suggests;
  $('suggest').title = state.model.suggests ? 'Add a sensor where it takes away most uncertainty' : 'The model has no Gaussian prior, which this needs';
  $('random').disabled = !state.source;
}

$('along').addEventListener('change', () => { kind.along = $('along').value; });
$('reads').addEventListener('change', () => { kind.reads = $('reads').value; });
$('noise').addEventListener('change', () => { kind.noise = Math.max(0, Number($('noise').value) || 0) / 100; });
$('random').addEventListener('click', () => replace(random(Math.max(1, Number($('count').value) || 1))));
$('clear').addEventListener('click', () => replace([]));

$('suggest').addEventListener('click', async () => {
  $('suggest').disabled = true;
  try {
    const wanted = { id: 0, row: 0, column: 0, channels: channels(), noise: kind.noise };
    if (kind.along) wanted.along = kind.along;
    const found = await post('suggest', { ...request(false), wanted });
    const at = place(found);
    add(at.x, at.y);
  } catch (e) {
    alertLine(e.message);
  } finally {
    $('suggest').disabled = !state.model.suggests;
  }
});

// ---- the sensor that is chosen

function editor() {
  const chosen = state.selected;
  $('editor').hidden = !chosen;
  if (!chosen) return;
  const { x, y } = place(chosen);
  const line = direction(chosen.along);
  const at = [line === 'across' ? '' : `${across().name} ${short(coordinate(across(), x))}`, line === 'up' ? '' : `${upwards().name} ${short(coordinate(upwards(), y))}`];
  $('editor-title').textContent = `Sensor ${chosen.id} at ${at.filter(Boolean).join(', ')}: ${names(chosen)}`;
  $('editor-noise-label').hidden = Boolean(chosen.values);
  if (document.activeElement !== $('editor-noise')) $('editor-noise').value = short(100 * chosen.noise, 4);
  if ($('editor-values').contains(document.activeElement)) return;
  $('editor-values').replaceChildren(...(chosen.values ?? []).map((value, i) => {
    const quantity = state.model.quantities[Math.floor(chosen.channels[i] / frames())];
    const row = document.createElement('label');
    const sigma = number(chosen.sigmas[i], v => { chosen.sigmas[i] = Math.max(0, v); });
    sigma.setAttribute('aria-label', `standard deviation of the noise of ${quantity.name}`);
    row.append(`${quantity.name} `, number(value, v => { chosen.values[i] = v; }), '±', sigma, quantity.unit);
    return row;
  }));
}

function number(value, set) {
  const input = Object.assign(document.createElement('input'), { type: 'number', step: 'any', value });
  input.addEventListener('change', () => {
    if (!Number.isFinite(input.valueAsNumber)) return;
    set(input.valueAsNumber);
    changed();
  });
  return input;
}

$('editor').addEventListener('submit', event => event.preventDefault());
$('editor-noise').addEventListener('change', () => {
  if (!state.selected) return;
  state.selected.noise = Math.max(0, Number($('editor-noise').value) || 0) / 100;
  changed();
});
$('remove').addEventListener('click', () => state.selected && remove(state.selected));

// ---- methods

function methods() {
  $('methods').replaceChildren(...state.model.methods.map(method => {
    const box = Object.assign(document.createElement('input'), { type: 'checkbox', value: method, checked: state.methods.includes(method) });
    const row = document.createElement('label');
    row.append(box, ` ${method}`);
    box.addEventListener('change', () => {
      const chosen = state.model.methods.filter(m => (m === method ? box.checked : state.methods.includes(m)));
      if (!chosen.length) {
        box.checked = true;
        return;
      }
      state.methods = chosen;
      if (!chosen.includes(state.layer.method)) state.layer = { ...state.layer, method: chosen[0], kind: 'mean', index: 0 };
      tell('layer', 'fields', 'changed');
    });
    return row;
  }));
  $('steps-label').hidden = !state.model.methods.includes('flow');
  $('polish-label').hidden = !state.model.methods.includes('polish');
}

for (const id of ['samples', 'steps', 'polish', 'seed']) $(id).addEventListener('change', () => tell('changed'));

// ---- the result

function judgement() {
  const lines = new Map(); // warnings, and the methods that have them
  const tables = [];
  for (const method of state.methods) {
    const { judged } = result(method);
    if (!judged) continue;
    judged.warnings.forEach(warning => lines.set(warning, [...(lines.get(warning) ?? []), method]));
    const rows = judged.constraints.map(c => [c.constraint, 'missed by at most', short(c.max)]);
    for (const m of judged.misfits) rows.push([`${m.readings} readings of ${m.quantity}`, m.rms_in_sigmas === undefined ? 'missed by (rms)' : `missed by (rms), ${short(m.rms_in_sigmas, 2)} of their noise`, `${short(m.rms)} ${m.unit}`]);
    if (judged.distance !== undefined) rows.push(['distance of the readings', 'from what the training data let expect; 1 is usual', short(judged.distance)]);
    rows.push(['error bars', judged.calibrated ? 'calibrated on validation fields' : 'spread of the samples', '']);
    const table = document.createElement('table');
    table.append(Object.assign(document.createElement('caption'), { textContent: judged.sampler }));
    for (const [name, what, value] of rows) {
      const row = table.insertRow();
      row.append(Object.assign(document.createElement('th'), { scope: 'row', textContent: name }));
      row.insertCell().textContent = what;
      const cell = row.insertCell();
      cell.textContent = value;
      cell.className = 'number';
    }
    tables.push(table);
  }
  $('warnings').replaceChildren(...[...lines].map(([line, from]) => Object.assign(document.createElement('li'), { textContent: from.length < state.methods.length ? `${from.join(', ')}: ${line}` : line })));
  $('judgement').replaceChildren(...tables);
}

// ---- downloads

function downloads() {
  const { method } = state.layer;
  const ready = state.done && state.methods.includes(method) && Number($('samples').value) > 0;
  for (const [id, call, name, there] of [
    ['get-figure', `figure?page=${page}&method=${method}`, 'figure.png', ready],
    ['get-arrays', `arrays?page=${page}&method=${method}`, 'fields.npz', ready],
    ['get-table', `table?page=${page}`, 'readings.csv', Object.keys(state.commands).length > 0],
  ]) {
    $(id).setAttribute('aria-disabled', String(!there));
    $(id).download = name;
    if (there) $(id).href = `api/${call}`;
    else $(id).removeAttribute('href');
  }
  $('command').textContent = state.commands[method] ?? Object.values(state.commands)[0] ?? '';
}

$('copy').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText($('command').textContent);
    $('copied').textContent = 'copied';
  } catch {
    getSelection().selectAllChildren($('command'));
    $('copied').textContent = 'selected: press Ctrl-C';
  }
  setTimeout(() => { $('copied').textContent = ''; }, 3000);
});

on('model', quantities);
on('model', kinds);
on('model', methods);
on('sensors', editor);
on('selected', editor);
on('judged', judgement);
on('model', judgement);
on('layer', downloads);
on('done', downloads);
on('commands', downloads);
