// Requests to the server that served this page. Addresses are relative, so each carries the token.

async function checked(response) {
  if (response.ok) return response;
  let line = `the server answered ${response.status}`;
  try {
    line = (await response.json()).error ?? line;
  } catch {
    // no JSON: the status is all there is
  }
  throw Object.assign(new Error(line), { status: response.status });
}

async function asked(path, options) {
  try {
    return await fetch(path, options);
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Error('the server does not answer; start perflow studio again and open its new address');
  }
}

export async function get(call) {
  return (await checked(await asked(`api/${call}`))).json();
}

export async function post(call, content) {
  return (await checked(await asked(`api/${call}`, { method: 'POST', body: JSON.stringify(content) }))).json();
}

export async function upload(call, text) {
  return (await checked(await asked(`api/${call}`, { method: 'POST', body: text }))).json();
}

/** Calls `each` for every event of a reconstruction, in order. */
export async function stream(content, signal, each) {
  const response = await checked(
    await asked('api/reconstruct', { method: 'POST', body: JSON.stringify(content), signal }));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let parts = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = value.split('\n');
    for (let i = 0; i < lines.length - 1; i++) {
      parts.push(lines[i]);
      each(JSON.parse(parts.join('')));
      parts = [];
    }
    parts.push(lines.at(-1));
  }
}

/** The numbers of a field: F32, little endian, in base64. */
export function numbers(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Float32Array(bytes.buffer);
}
