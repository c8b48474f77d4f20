// A driver for isostress, made by `isostress scaffold node`.  It runs as it is, on a
// toy store; replace what is marked.  PIPE.md of isostress is the whole protocol.
//   isostress driver-test --driver='node my_driver.cjs'
//   isostress scorecard --driver='node my_driver.cjs'
// A client with native threads may need UV_THREADPOOL_SIZE=32 in the environment, so
// that calls that wait leave threads to others.
const { createInterface } = require('node:readline');

const store = new Map(), versions = new Map(); // REPLACE: the toy store
let clock = 0;
const sessions = new Map(); // the open transaction of each session

const verbs = {
  hello: () => ({
    isostress: 1, name: 'mystore', version: 'toy 1.0',
    many: true, // this process serves all sessions, whose calls are asynchronous
    // The promise of the manual: none, rc, ra, cc, pc, si, ser or sser.
    levels: [{ name: 'snapshot', claims: 'si' }],
    // Codes, or words of messages, after which a commit certainly had no effect.
    causes: { conflict: 'write conflict' },
  }),
  setup: async (m) => { // afterwards the keys 0 to m.keys - 1 hold 0
    store.clear();
    versions.clear();
  },
  open: async (m) => {}, // a connection of its own for m.session, to m.place
  close: async (m) => verbs.rollback(m),
  begin: async (m) => { // at m.level, which is the name of one of hello's
    sessions.set(m.session, { start: clock, snapshot: new Map(store), writes: new Map() });
  },
  get: async (m) => { // from the database, through the open transaction
    const t = sessions.get(m.session);
    return { value: t.writes.get(m.key) ?? t.snapshot.get(m.key) ?? 0 };
  },
  put: async (m) => { sessions.get(m.session).writes.set(m.key, m.value); },
  commit: async (m) => { // never again by itself: isostress tries again
    const t = sessions.get(m.session);
    sessions.delete(m.session);
    for (const key of t.writes.keys())
      if ((versions.get(key) ?? 0) > t.start) throw new Error('conflict');
    clock++;
    for (const [key, value] of t.writes) { store.set(key, value); versions.set(key, clock); }
  },
  rollback: async (m) => { sessions.delete(m.session); }, // also where nothing is open
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const m = JSON.parse(line);
  let reply; // what fails is an exception, nothing else
  try {
    reply = await verbs[m.do](m);
  } catch (e) {
    reply = { fail: String(e.message ?? e), code: String(e.code ?? '') };
  }
  process.stdout.write(JSON.stringify({ id: m.id, ...reply }) + '\n');
}).on('close', () => process.exit(0));
