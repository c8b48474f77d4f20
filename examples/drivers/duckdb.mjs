// A driver of isostress for DuckDB in this process, one connection a session.
//   isostress run -w predicate --driver="node examples/drivers/duckdb.mjs" duckdb:
import { createInterface } from 'node:readline';
import { DuckDBInstance } from '@duckdb/node-api';

let instance;
const sessions = new Map();
const version = 'DuckDB 1.5.6 by @duckdb/node-api';

const verbs = {
  hello: () => ({
    isostress: 1, name: 'duckdb', version, many: true,
    // duckdb.org/docs/current/connect/concurrency
    levels: [{ name: 'snapshot', claims: 'si' }],
    sql: { returning: 'no', ignore: ['', ' ON CONFLICT DO NOTHING'],
      parameters: '$' },
    causes: { Conflict: 'write conflict', 'write-write conflict': 'write conflict',
      'PRIMARY KEY or UNIQUE constraint': 'constraint',
      'Current transaction is aborted': 'other' },
  }),
  open: async (m) => {
    instance ??= DuckDBInstance.create(m.place || ':memory:', { threads: '1' });
    sessions.set(m.session, await (await instance).connect());
    return {};
  },
  close: async (m) => {
    sessions.get(m.session)?.closeSync();
    sessions.delete(m.session);
    return {};
  },
  begin: (m) => run(m, 'BEGIN TRANSACTION'),
  sql: (m) => run(m, m.sql, m.params),
  commit: (m) => run(m, 'COMMIT'),
  rollback: async (m) => {
    await run(m, 'ROLLBACK').catch((e) => {
      if (!/no transaction is active/.test(e.message)) throw e;
    });
    return {};
  },
};

async function run(m, sql, params) {
  const result = await sessions.get(m.session).runAndReadAll(sql, params);
  const rows = result.getRowsJson();
  return { rows, count: result.rowsChanged };
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const m = JSON.parse(line);
  let reply;
  try {
    reply = await verbs[m.do](m);
  } catch (e) {
    reply = { fail: e.message };
  }
  process.stdout.write(JSON.stringify({ id: m.id, ...reply }) + '\n');
}).on('close', () => process.exit(0));
