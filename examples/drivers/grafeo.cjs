// A driver of isostress for Grafeo, a graph database, in this process.
// A key is a node (:K {k, v}).
//   isostress run -i serializable --driver="node examples/drivers/grafeo.cjs" grafeo:
const { createInterface } = require('node:readline');
const { GrafeoDB } = require('@grafeo-db/js');

let db;
const open = new Map(); // session: transaction

const verbs = {
  hello: () => ({
    isostress: 1, name: 'grafeo', version: 'Grafeo 0.6.0 by @grafeo-db/js', many: true,
    levels: [
      { name: 'snapshot', claims: 'si' },
      { name: 'serializable', claims: 'ser' },
      { name: 'read_committed', claims: 'rc' }],
    causes: { 'conflict': 'write conflict', 'erializ': 'serialization failure' },
  }),
  open: (m) => { db ??= m.place ? GrafeoDB.create(m.place) : GrafeoDB.create(); },
  close: (m) => verbs.rollback(m),
  setup: async (m) => {
    await db.execute('MATCH (n:K) DELETE n');
    await db.batchCreateNodesWithProps('K',
      Array.from({ length: m.keys }, (_, k) => ({ k, v: 0 })));
  },
  begin: (m) => { open.set(m.session, db.beginTransaction(m.level)); },
  get: async (m) => {
    const r = await open.get(m.session).execute('MATCH (n:K {k: $k}) RETURN n.v', { k: m.key });
    const row = r.toArray()[0];
    return { value: row ? row['n.v'] : 0 };
  },
  put: async (m) => {
    await open.get(m.session).execute('MATCH (n:K {k: $k}) SET n.v = $v',
      { k: m.key, v: m.value });
  },
  commit: (m) => take(m.session)?.commit(),
  rollback: (m) => take(m.session)?.rollback(),
};

function take(session) {
  const transaction = open.get(session);
  open.delete(session);
  return transaction;
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const m = JSON.parse(line);
  let reply;
  try {
    reply = await verbs[m.do](m);
  } catch (e) {
    reply = { fail: String(e.message ?? e), code: e.code };
  }
  process.stdout.write(JSON.stringify({ id: m.id, ...reply }) + '\n');
}).on('close', () => process.exit(0));
