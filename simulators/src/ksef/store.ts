import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Minimum number of lines at which the file of the KSeF simulator's store is rewritten without outdated lines. The file
 * must also have four times as many lines as there are current records.
 */
const LINES_BEFORE_REWRITE = 50_000;

/** Records of the simulated KSeF of one kind by id, in the order in which they were first stored. */
export interface Table<T> {
  get(id: string): T | undefined;
  /** Stores a record of the simulated KSeF. Later changes to the object are lost until it is stored again. */
  put(id: string, record: T): void;
  delete(id: string): void;
  values(): IterableIterator<T>;
  entries(): IterableIterator<[string, T]>;
  readonly size: number;
}

/**
 * State of one simulated KSeF environment. With a path, each change is written as a line of JSON before the request is
 * answered, so that no state that a client has received is lost when the process is killed. Without a path, the state
 * is kept only in memory.
 */
export class Store {
  readonly #path: string | undefined;
  readonly #tables = new Map<string, Map<string, unknown>>();
  #file: number | undefined;
  #lines = 0;

  constructor(path?: string) {
    this.#path = path;
    if (path === undefined) return;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    for (const [table, id, record] of readLines(path)) {
      if (record === null) this.#rows(table).delete(id);
      else this.#rows(table).set(id, record);
    }
    this.#rewrite(path);
  }

  table<T>(name: string): Table<T> {
    const rows = this.#rows(name) as Map<string, T>;
    return {
      get: (id) => rows.get(id),
      put: (id, record) => {
        rows.set(id, record);
        this.#append([name, id, record]);
      },
      delete: (id) => {
        if (rows.delete(id)) this.#append([name, id, null]);
      },
      values: () => rows.values(),
      entries: () => rows.entries(),
      get size() {
        return rows.size;
      },
    };
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #rows(name: string): Map<string, unknown> {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const rows = new Map<string, unknown>();
    this.#tables.set(name, rows);
    return rows;
  }

  #append(line: Line): void {
    if (this.#path === undefined || this.#file === undefined) return;
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
    this.#lines += 1;
    if (this.#lines < LINES_BEFORE_REWRITE) return;
    const live = [...this.#tables.values()].reduce((total, rows) => total + rows.size, 0);
    if (this.#lines >= live * 4) this.#rewrite(this.#path);
  }

  #rewrite(path: string): void {
    this.close();
    const lines = [...this.#tables].flatMap(([table, rows]) =>
      [...rows].map(([id, record]) => JSON.stringify([table, id, record])),
    );
    writeFileSync(`${path}.new`, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    this.#file = openSync(path, 'a', 0o600);
    this.#lines = lines.length;
  }
}

/**
 * A line of the file with the state of the simulated KSeF: the table, the id and the record, or null if the record was
 * deleted.
 */
type Line = readonly [string, string, unknown];

function readLines(path: string): readonly Line[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  // A line of the KSeF simulator's state file without a line break was truncated when the process was killed. The
  // client never received a response to the request that wrote this line.
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}
