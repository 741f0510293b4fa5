// Asks for reconstructions and takes in what comes. A change ends what was asked for before.
import { numbers, stream } from './api.js';
import { on, page, result, state, tell } from './state.js';

const $ = id => document.getElementById(id);
let current = null; // the request that counts
let timer = 0;

export function alertLine(text) {
  $('alert').textContent = text;
  $('alert').hidden = !text;
}

/** Says what is going on; what changes many times a second is shown and not read aloud. */
export function status(text, aloud = true) {
  $('status').textContent = text;
  if (aloud) $('said').textContent = text;
}

/** Shows how many samples are there, of all methods. */
function drawn(there) {
  const wanted = whole('samples', 0) * state.methods.length;
  $('drawn').hidden = !wanted;
  $('drawn').max = Math.max(1, wanted);
  $('drawn').value = there;
}

const whole = (id, least) => Math.max(least, Math.round(Number($(id).value) || 0));

export function request(quick) {
  return {
    page, model: state.modelId,
    field: state.source ? { source: state.source, index: state.index } : null,
    sensors: state.sensors,
    methods: state.methods,
    // while a sensor moves, the first guess is enough; a model without one draws a sample
    samples: quick ? (state.model.suggests ? 0 : 1) : whole('samples', 0),
    steps: whole('steps', 1), polish: whole('polish', 1), seed: Math.round(Number($('seed').value) || 0),
  };
}

/** Asks again soon: several changes at once are one. */
export function soon(quick) {
  clearTimeout(timer);
  timer = setTimeout(() => reconstruct(quick), quick ? 15 : 40);
}

export function stop() {
  clearTimeout(timer);
  current?.abort();
  current = null;
  $('elapsed').textContent = '';
  $('drawn').hidden = true;
}

async function reconstruct(quick) {
  if (!state.model || (state.source && !state.truth)) return;
  current?.abort();
  const mine = (current = new AbortController());
  const began = performance.now();
  let last = '';
  let fresh = false; // whether old fields were cleared
  const clear = () => {
    if (!fresh) [state.results, state.guess, fresh] = [{}, {}, true];
  };
  state.done = false;
  tell('done');
  drawn(0);
  const ticking = setInterval(() => { $('elapsed').textContent = `${seconds(began)} s`; }, 100);
  $('result').setAttribute('aria-busy', 'true'); // its numbers are of the sensors before
  try {
    await stream(request(quick), mine.signal, event => {
      if (current !== mine) return;
      take(event, clear, began);
      last = event.event;
    });
    if (current === mine && !['done', 'error', 'cancelled'].includes(last)) throw new Error('the server ended before the result was complete; change something to try again');
  } catch (e) {
    if (e.name !== 'AbortError' && current === mine) {
      alertLine(e.message);
      status('');
    }
  } finally {
    clearInterval(ticking);
    if (current === mine) {
      $('elapsed').textContent = '';
      $('drawn').hidden = true;
      $('result').removeAttribute('aria-busy');
    }
  }
}

const seconds = began => ((performance.now() - began) / 1000).toFixed(1);
const waiting = ({ first, count }) => (count === 1 ? `sample ${first + 1}` : `samples ${first + 1} to ${first + count}`);

function take(event, clear, began) {
  switch (event.event) {
    case 'begun':
      alertLine('');
      state.commands = event.commands;
      status(`${event.readings} readings, preparing …`);
      tell('commands');
      return;
    case 'preparing':
      status(`${event.note}, ${Math.round(100 * event.part)} %`, false);
      return;
    case 'guess':
      if (event.mean) {
        clear();
        state.guess.mean = numbers(event.mean);
        document.documentElement.dataset.firstPicture = String(Math.round(performance.now() - began));
      } else {
        state.guess.deviation = numbers(event.deviation);
      }
      break;
    case 'sample':
      clear();
      result(event.method).samples[event.index] = numbers(event.field);
      status(`${event.method}: sample ${event.index + 1} is there`, false);
      drawn(state.methods.reduce((sum, method) => sum + result(method).samples.length, 0));
      break;
    case 'progress':
      status(`${event.method}: ${waiting(event)}, ${Math.round(100 * event.part)} %${event.note && `; ${event.note}`}`, false);
      return;
    case 'judged':
      judged(event);
      break;
    case 'done':
      if (asked) paint(); // what is said to be done can be seen
      state.done = true;
      status(`done in ${seconds(began)} s`);
      tell('done');
      return;
    case 'error':
      alertLine(event.message);
      status('');
      return;
    default:
      return;
  }
  later();
}

// The mean of few samples is worse than the first guess, which stays until there are some.
function judged(event) {
  const made = result(event.method);
  const last = event.samples >= whole('samples', 0);
  made.judged = { ...event, mean: null, deviation: null };
  if (event.samples >= 4 || last || !state.guess.mean) {
    made.mean = numbers(event.mean);
    if (event.samples > 1) made.deviation = numbers(event.deviation);
  } else {
    made.judged.samples = 0;
  }
  $('result').removeAttribute('aria-busy');
  tell('judged');
}

// fields are painted at most once for each picture of the screen
let asked = false;
function later() {
  if (!asked) requestAnimationFrame(() => { if (asked) paint(); });
  asked = true;
}

function paint() {
  asked = false;
  tell('fields');
}

on('changed', () => soon(false));
on('moving', () => soon(true));
