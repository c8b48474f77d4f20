// A driver of isostress for PGlite, PostgreSQL in this process.  It has one connection, so that transactions
// take turns: begin waits for the end of the one before.
//   isostress run -w predicate --driver="node examples/drivers/pglite.mjs" pglite:
import { createInterface } from 'node:readline';
import { PGlite } from '@electric-sql/pglite';

const levels = ['serializable ser', 'repeatable read si', 'read committed rc'].map((l) =>
  ({ name: l.slice(0, l.lastIndexOf(' ')), claims: l.split(' ').at(-1) }));
let db, owner, turn = Promise.resolve(), release = () => {};

const verbs = {
  hello: () => ({
    isostress: 1, name: 'pglite', version: 'PGlite 0.5.17', many: true, levels,
    sql: { parameters: '$', returning: 'yes', lock: ' FOR UPDATE',
      ignore: ['', ' ON CONFLICT (id) DO NOTHING'] },
    causes: { 40001: 'serialization failure', '40P01': 'deadlock', 23505: 'constraint' },
  }),
  open: async (m) => { await (db ??= PGlite.create(m.place || undefined)); },
  close: (m) => verbs.rollback(m),
  begin: async (m) => {
    if (!levels.some((l) => l.name === m.level)) throw Error('no such level: ' + m.level);
    const before = turn;
    turn = new Promise((done) => { m.release = done; });
    await before;
    [owner, release] = [m.session, m.release];
    await (await db).query('BEGIN ISOLATION LEVEL ' + m.level).catch((e) => { end(); throw e; });
  },
  sql: async (m) => {
    const r = await (await db).query(m.sql, m.params, { rowMode: 'array' });
    return { rows: r.rows.map((row) => row.map((v) => v === null ? v : String(v))), count: r.affectedRows };
  },
  commit: async () => {
    try { await (await db).query('COMMIT'); } finally { end(); }
  },
  rollback: async (m) => {
    if (owner !== m.session) return;
    try { await (await db).query('ROLLBACK'); } finally { end(); }
  },
};

function end() {
  owner = undefined;
  release();
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
