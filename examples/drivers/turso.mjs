// A driver of isostress for Turso, SQLite rewritten in Rust, in this process, one connection a session.
//   isostress run -w predicate --driver="node examples/drivers/turso.mjs" turso:/tmp/t.db
import { createInterface } from 'node:readline';
import { connect } from '@tursodatabase/database';

const sessions = new Map();
const levels = [
  { name: 'concurrent', claims: 'si' }, // docs/manual.md: BEGIN CONCURRENT
  { name: 'immediate', claims: 'ser' }];

const verbs = {
  hello: () => ({
    isostress: 1, name: 'turso', version: 'Turso 0.7.2 by @tursodatabase/database', many: true, levels,
    sql: { parameters: '?', integer: 'INTEGER', returning: 'yes', ignore: ['OR IGNORE ', ''] },
    causes: { conflict: 'write conflict', locked: 'lock timeout', busy: 'lock timeout',
      'UNIQUE constraint': 'constraint', stale: 'serialization failure' },
  }),
  open: async (m) => {
    if (!m.place) throw Error('turso:FILE is needed: sessions share nothing else');
    const db = await connect(m.place);
    await (await db.prepare("PRAGMA journal_mode = 'mvcc'")).all();
    sessions.set(m.session, { db, open: false, prepared: new Map() });
  },
  close: async (m) => {
    await verbs.rollback(m);
    await sessions.get(m.session)?.db.close();
    sessions.delete(m.session);
  },
  begin: async (m) => {
    if (!levels.some((l) => l.name === m.level)) throw Error('no such level: ' + m.level);
    const s = sessions.get(m.session);
    await s.db.exec('BEGIN ' + m.level.toUpperCase());
    s.open = true;
  },
  sql: async (m) => {
    const s = sessions.get(m.session);
    if (!/^(SELECT|INSERT|UPDATE|DELETE|PRAGMA)/.test(m.sql)) return s.db.exec(m.sql);
    if (!s.prepared.has(m.sql)) s.prepared.set(m.sql, await s.db.prepare(m.sql));
    const statement = s.prepared.get(m.sql);
    if (/^SELECT| RETURNING /.test(m.sql)) {
      const rows = await statement.raw(true).all(...(m.params ?? []));
      return { rows, count: rows.length };
    }
    return { count: (await statement.run(...(m.params ?? []))).changes };
  },
  commit: async (m) => {
    const s = sessions.get(m.session);
    await s.db.exec('COMMIT');
    s.open = false;
  },
  rollback: async (m) => {
    const s = sessions.get(m.session);
    if (s?.open) await s.db.exec('ROLLBACK').catch((e) => {
      if (!/no transaction is active/.test(e.message)) throw e;
    });
    if (s) s.open = false;
  },
};

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
