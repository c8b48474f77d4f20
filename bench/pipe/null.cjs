// SPDX-License-Identifier: GPL-3.0-or-later
// A store that does nothing but keep values, by a pipe: what node takes (bench/pipe.sh).
const { createInterface } = require('node:readline');

const store = new Map();
const verbs = {
  hello: () => ({ isostress: 1, name: 'null', version: 'keeps values, in node', many: true,
    levels: [{ name: 'none', claims: 'none' }] }),
  get: (m) => ({ value: store.get(m.key) ?? 0 }),
  put: (m) => { store.set(m.key, m.value); },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const m = JSON.parse(line);
  process.stdout.write(JSON.stringify({ id: m.id, ...verbs[m.do]?.(m) }) + '\n');
}).on('close', () => process.exit(0));
