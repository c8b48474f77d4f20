// A driver of isostress for SurrealDB in this process: mem://, rocksdb://DIRECTORY or surrealkv://DIRECTORY.
// A key is the record kv:KEY.
//   isostress run --driver="node examples/drivers/surrealdb.mjs" surrealdb:surrealkv:///tmp/s
import { createInterface } from 'node:readline';
import { Surreal } from 'surrealdb';
import { createNodeEngines } from '@surrealdb/node';

let db, ready;
const open = new Map(); // session: transaction

const verbs = {
  hello: () => ({
    isostress: 1, name: 'surrealdb', version: 'SurrealDB by @surrealdb/node 3.0.3', many: true,
    levels: [{ name: 'snapshot', claims: 'si' }], // surrealdb.com/docs: transactions and isolation
    causes: { conflict: 'write conflict', 'can be retried': 'serialization failure' },
  }),
  open: (m) => (ready ??= (async () => {
    db = new Surreal({ engines: createNodeEngines() });
    await db.connect(m.place || 'mem://');
    await db.use({ namespace: 'isostress', database: 'isostress' });
  })()).then(() => undefined),
  close: (m) => verbs.rollback(m),
  setup: async (m) => {
    await db.query('REMOVE TABLE IF EXISTS kv; DEFINE TABLE kv;');
    await db.query(`FOR $k IN 0..${m.keys} { CREATE type::record('kv', $k) SET v = 0; };`);
  },
  begin: async (m) => {
    if (m.level !== 'snapshot') throw Error('no such level: ' + m.level);
    open.set(m.session, await db.beginTransaction());
  },
  get: async (m) => {
    const [rows] = await open.get(m.session).query(`SELECT VALUE v FROM kv:${m.key}`);
    return { value: rows[0] ?? 0 };
  },
  put: async (m) => {
    await open.get(m.session).query(`UPSERT kv:${m.key} SET v = ${m.value}`);
  },
  commit: async (m) => { await take(m.session)?.commit(); },
  rollback: async (m) => { await take(m.session)?.cancel(); },
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
