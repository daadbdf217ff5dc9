import { fail } from './errors.js';
import { OrderedIndex, type IndexSpec, type StoredDocument } from './ordered-index.js';
import { AFTER, encode } from './order.js';
import { candidatesOf, plansFor, type Plan } from './planner.js';
import { compileFilter, type Predicate } from './query.js';
import { sortBy, type SortField } from './sort.js';
import { DOCUMENT_BYTES_MAX, hasOperators, kindOf, serialize, show, type Doc } from './values.js';

const ID_INDEX: IndexSpec = { name: '_id_', key: { _id: 1 }, unique: true };

/** How many candidates competing plans read before the best one continues alone. */
const TRIAL_CANDIDATES_MAX = 200;

export interface Search {
  readonly filter: Doc;
  readonly sort?: readonly SortField[];
  /** Limit in the requested order; absent: all. */
  readonly limit?: number | undefined;
}

/** One collection: its documents by `_id` and its indexes. */
export class Collection {
  readonly namespace: string;
  readonly documents = new Map<string, StoredDocument>();
  readonly indexes = new Map<string, OrderedIndex>();
  #sequence = 0;
  #sizeBytes = 0;
  #hasIndexesFilled: boolean;

  /** @param isReplayed the indexes stay empty until {@link fillIndexes}, which builds each of them once */
  constructor(namespace: string, isReplayed: boolean) {
    this.namespace = namespace;
    this.#hasIndexesFilled = !isReplayed;
    this.indexes.set(ID_INDEX.name, new OrderedIndex(ID_INDEX));
  }

  /** Size of all documents as BSON. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** The matching documents in the requested order, else in insertion or index order. */
  find({ filter, sort = [], limit }: Search): StoredDocument[] {
    const matches = compileFilter(filter);
    const byId = this.#lookUpById(filter);
    if (byId) return finish(byId, matches, sort, limit);
    if (Object.keys(filter).length === 0 && sort.length === 0) {
      return finish(this.documents.values(), matches, [], limit);
    }
    const plans = plansFor(this.indexes.values(), filter, sort);
    const plan = plans.length > 1 ? this.#bestOf(plans, matches, sort, limit) : plans[0];
    if (!plan) return finish(this.documents.values(), matches, sort, limit);
    return finish(candidatesOf(plan), matches, plan.isSorted ? [] : sort, limit);
  }

  /**
   * @param bytes the received document, `_id` first
   * @throws MongoError DuplicateKey, BSONObjectTooLarge
   */
  insert(doc: Doc, bytes: Buffer): StoredDocument {
    checkSize(bytes);
    const idKind = kindOf(doc['_id']);
    if (idKind === 'array' || idKind === 'regex' || idKind === 'missing') {
      fail('BadValue', `The '_id' value cannot be of type ${idKind}`);
    }
    const idKey = encode(doc['_id']);
    const stored: StoredDocument = { idKey, sequence: (this.#sequence += 1), doc, bytes };
    if (this.#hasIndexesFilled) {
      const changes = [...this.indexes.values()].map((index) => {
        const keys = index.keysOf(doc);
        this.#checkUnique(index, keys, doc, undefined);
        return { index, keys };
      });
      for (const { index, keys } of changes) index.add(keys, stored);
    }
    this.documents.set(idKey, stored);
    this.#sizeBytes += bytes.length;
    return stored;
  }

  /** Replaces the state; false if the bytes are the same. */
  replace(stored: StoredDocument, doc: Doc): boolean {
    const bytes = serialize(doc);
    if (stored.bytes.equals(bytes)) return false;
    checkSize(bytes);
    const changes = [];
    for (const index of this.indexes.values()) {
      if (index.hasSameKeys(stored.doc, doc)) continue;
      const before = index.keysOf(stored.doc);
      const after = index.keysOf(doc);
      const gone = before.filter((key) => !after.includes(key));
      const added = after.filter((key) => !before.includes(key));
      this.#checkUnique(index, added, doc, stored);
      changes.push({ index, gone, added });
    }
    for (const { index, gone, added } of changes) {
      index.remove(gone, stored);
      index.add(added, stored);
    }
    this.#setState(stored, doc, bytes);
    return true;
  }

  remove(stored: StoredDocument): void {
    if (this.#hasIndexesFilled)
      for (const index of this.indexes.values()) index.remove(index.keysOf(stored.doc), stored);
    this.documents.delete(stored.idKey);
    this.#sizeBytes -= stored.bytes.length;
  }

  /** Restores a document from the journal, replacing an older state. */
  restore(doc: Doc, bytes: Buffer): void {
    const older = this.documents.get(encode(doc['_id']));
    if (older) this.#setState(older, doc, bytes);
    else this.insert(doc, bytes);
  }

  /** Whether the index is new. @throws MongoError DuplicateKey, IndexOptionsConflict, IndexKeySpecsConflict */
  createIndex(spec: IndexSpec): boolean {
    for (const { spec: existing } of this.indexes.values()) {
      const hasSameSignature = signatureOf(existing) === signatureOf(spec);
      if (existing.name === spec.name && !hasSameSignature) {
        fail('IndexKeySpecsConflict', `An existing index has the same name as the requested index: ${spec.name}`);
      }
      if (!hasSameSignature) continue;
      if (existing.name !== spec.name) {
        fail('IndexOptionsConflict', `Index already exists with a different name: ${existing.name}`);
      }
      if (existing.expireAfterSeconds !== spec.expireAfterSeconds) {
        fail(
          'IndexOptionsConflict',
          `An equivalent index already exists with the same name but different options: ${spec.name}`,
        );
      }
      return false;
    }
    const index = new OrderedIndex(spec);
    if (this.#hasIndexesFilled) {
      for (const stored of this.documents.values()) {
        const keys = index.keysOf(stored.doc);
        this.#checkUnique(index, keys, stored.doc, stored);
        index.add(keys, stored);
      }
    }
    this.indexes.set(spec.name, index);
    return true;
  }

  /** Ends a replay: builds every index once from the documents. */
  fillIndexes(): void {
    if (this.#hasIndexesFilled) return;
    for (const index of this.indexes.values()) index.fill(this.documents.values());
    this.#hasIndexesFilled = true;
  }

  /** The documents expired by a TTL index, at `now` in milliseconds. */
  expired(now: number): Set<StoredDocument> {
    const expired = new Set<StoredDocument>();
    for (const index of this.indexes.values()) {
      const { expireAfterSeconds } = index.spec;
      if (expireAfterSeconds === undefined) continue;
      const latest = encode(new Date(now - expireAfterSeconds * 1000));
      const everyDate = latest.charAt(0);
      for (const stored of index.scan({ low: everyDate, high: latest + AFTER }, false)) expired.add(stored);
    }
    return expired;
  }

  /** The documents of a filter that names their `_id`s; `undefined` for any other filter. */
  #lookUpById(filter: Doc): StoredDocument[] | undefined {
    const condition = filter['_id'];
    if (condition === undefined) return undefined;
    const named = hasOperators(condition) ? ('$eq' in condition ? [condition['$eq']] : condition['$in']) : [condition];
    if (!Array.isArray(named) || named.some((id) => kindOf(id) === 'regex')) return undefined;
    return [...new Set(named.map(encode))].flatMap((idKey) => this.documents.get(idKey) ?? []);
  }

  /**
   * Runs the plans in parallel, as MongoDB does: the first to finish wins, else the one that found most. A plan in the
   * requested order is preferred, because the others must read everything first.
   */
  #bestOf(
    plans: readonly Plan[],
    matches: Predicate,
    sort: readonly SortField[],
    limit: number | undefined,
  ): Plan | undefined {
    const runners = plans.map((plan) => ({ plan, candidates: candidatesOf(plan), found: 0 }));
    for (let round = 0; round < TRIAL_CANDIDATES_MAX; round += 1) {
      for (const runner of runners) {
        const next = runner.candidates.next();
        if (next.done) return runner.plan;
        if (matches(next.value.doc)) runner.found += 1;
        const mayStopEarly = runner.plan.isSorted || sort.length === 0;
        if (mayStopEarly && limit !== undefined && runner.found >= limit) return runner.plan;
      }
    }
    const sorted = runners.filter(({ plan }) => plan.isSorted && limit !== undefined);
    const contenders = sorted.length > 0 ? sorted : runners;
    return contenders.reduce((best, runner) => (runner.found > best.found ? runner : best)).plan;
  }

  #setState(stored: StoredDocument, doc: Doc, bytes: Buffer): void {
    this.#sizeBytes += bytes.length - stored.bytes.length;
    stored.doc = doc;
    stored.bytes = bytes;
  }

  #checkUnique(index: OrderedIndex, keys: readonly string[], doc: Doc, self: StoredDocument | undefined): void {
    if (!index.spec.unique) return;
    const key = index.conflictOf(keys, self);
    if (key === undefined) return;
    const values = index.valuesOf(doc, key);
    const keyValue = Object.fromEntries(index.fields.map(({ path }, place) => [path, values[place]]));
    fail(
      'DuplicateKey',
      `E11000 duplicate key error collection: ${this.namespace} index: ${index.spec.name} dup key: ${show(keyValue)}`,
      { keyPattern: index.spec.key, keyValue },
    );
  }
}

/** What distinguishes two indexes in MongoDB; the expiry does not. */
const signatureOf = ({ key, unique, sparse }: IndexSpec): string =>
  JSON.stringify([Object.entries(key), unique === true, sparse === true]);

function checkSize(bytes: Buffer): void {
  if (bytes.length > DOCUMENT_BYTES_MAX) {
    fail(
      'BSONObjectTooLarge',
      `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${DOCUMENT_BYTES_MAX}`,
    );
  }
}

function finish(
  candidates: Iterable<StoredDocument>,
  matches: Predicate,
  sort: readonly SortField[],
  limit: number | undefined,
): StoredDocument[] {
  const found: StoredDocument[] = [];
  for (const stored of candidates) {
    if (!matches(stored.doc)) continue;
    found.push(stored);
    if (sort.length === 0 && found.length === limit) break;
  }
  if (sort.length === 0) return found;
  const sorted = sortBy(found, sort, ({ doc }) => doc);
  return limit === undefined ? sorted : sorted.slice(0, limit);
}
