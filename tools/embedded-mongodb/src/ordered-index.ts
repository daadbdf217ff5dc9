import sortedBtree from 'sorted-btree';
import { fail, failUnsupported } from './errors.js';
import { AFTER, compareEncoded, EMPTY_ARRAY_KEY, encode, NULL_KEY } from './order.js';
import { isArrayPlace, someLeaf } from './paths.js';
import { fieldOf, isDoc, type Doc } from './values.js';

const BTree = sortedBtree.default;

/** A document in a collection. Both forms are replaced together, never changed in place, so a reply can reference them. */
export interface StoredDocument {
  readonly idKey: string;
  /** Insertion counter; makes every index key distinct. */
  readonly sequence: number;
  doc: Doc;
  bytes: Buffer;
}

/** An index as `createIndexes` receives it and `listIndexes` returns it. */
export interface IndexSpec {
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly unique?: boolean;
  readonly sparse?: boolean;
  readonly expireAfterSeconds?: number;
}

interface IndexField {
  readonly path: string;
  readonly parts: readonly string[];
  /** Whether any document ever had an array on this path; then a document can have several keys. */
  isMultikey: boolean;
}

/** The field values of one key: `undefined` means missing, {@link EMPTY_ARRAY} an empty array. */
type KeyTuple = readonly unknown[];
const EMPTY_ARRAY = Symbol('empty array');

/** An inclusive range of keys. */
export interface KeyRange {
  readonly low: string;
  readonly high: string;
}

/**
 * One index: a B-tree from encoded key and sequence to the document. It ignores directions, because every
 * range can be read forwards and backwards; an order with mixed directions is sorted after reading.
 */
export class OrderedIndex {
  readonly spec: IndexSpec;
  readonly fields: readonly IndexField[];
  readonly #tree = new BTree<string, StoredDocument>(undefined, compareEncoded, 64);

  constructor(spec: IndexSpec) {
    this.spec = spec;
    this.fields = Object.keys(spec.key).map((path) => ({ path, parts: path.split('.'), isMultikey: false }));
    for (const { parts, path } of this.fields) {
      if (parts.some((part) => part === '' || part.startsWith('$'))) {
        fail('CannotCreateIndex', `Index keys cannot contain an empty or a $ field: '${path}'`);
      }
      if (parts.some(isArrayPlace)) failUnsupported(`An index on a place in an array ('${path}')`);
    }
  }

  get isMultikey(): boolean {
    return this.fields.some((field) => field.isMultikey);
  }

  /** The keys of a document; none if the index is sparse and all fields are missing. */
  keysOf(doc: Doc): string[] {
    if (this.spec.sparse && !this.#hasAnyField(doc)) return [];
    const keys = this.#keysOfPlainArray(doc);
    if (keys) return keys;
    const tuples = this.#tuplesOf(doc);
    if (tuples.length === 1) return [keyOf(tuples[0] ?? [])];
    return [...new Set(tuples.map(keyOf))];
  }

  /** Whether two states of a document share the indexed values, so that their keys are the same. */
  hasSameKeys(before: Doc, after: Doc): boolean {
    return this.fields.every(({ parts }) => isShared(before, after, parts));
  }

  /** The values of a document's key, for the error that names them. */
  valuesOf(doc: Doc, key: string): unknown[] {
    const tuple = this.#tuplesOf(doc).find((candidate) => keyOf(candidate) === key) ?? [];
    return tuple.map((value) => (value === EMPTY_ARRAY ? [] : (value ?? null)));
  }

  /** The first key that another document has. */
  conflictOf(keys: readonly string[], self: StoredDocument | undefined): string | undefined {
    return keys.find((key) => {
      for (const stored of this.scan({ low: key, high: key + AFTER }, false)) if (stored !== self) return true;
      return false;
    });
  }

  add(keys: readonly string[], stored: StoredDocument): void {
    const tail = sequenceSuffix(stored);
    for (const key of keys) this.#tree.set(key + tail, stored);
  }

  remove(keys: readonly string[], stored: StoredDocument): void {
    const tail = sequenceSuffix(stored);
    for (const key of keys) this.#tree.delete(key + tail);
  }

  /** Fills an empty index: in key order, which is how a B-tree is built fastest. */
  fill(documents: Iterable<StoredDocument>): void {
    const entries: [string, StoredDocument][] = [];
    for (const stored of documents) {
      const tail = sequenceSuffix(stored);
      for (const key of this.keysOf(stored.doc)) entries.push([key + tail, stored]);
    }
    entries.sort(([left], [right]) => compareEncoded(left, right));
    for (const [key, stored] of entries) this.#tree.set(key, stored);
  }

  /** The documents of a range in key order, or from its end. */
  *scan({ low, high }: KeyRange, isReverse: boolean): Generator<StoredDocument> {
    if (isReverse) {
      for (const [key, stored] of this.#tree.entriesReversed(high)) {
        if (key < low) return;
        yield stored;
      }
    } else {
      // Most lookups find nothing, which one search detects.
      const first = this.#tree.getPairOrNextHigher(low);
      if (!first || first[0] > high) return;
      let [from, isDone] = [first[0], false];
      while (!isDone) {
        const found: StoredDocument[] = [];
        isDone =
          this.#tree.forRange(from, high, true, (key, stored) => {
            found.push(stored);
            from = key + FIRST_CHARACTER;
            return found.length < SCANNED_AT_ONCE ? undefined : { break: MORE };
          }) !== MORE;
        yield* found;
      }
    }
  }

  /**
   * A fast path for documents with at most one indexed array, of values that are not documents: the common case.
   * `undefined` for any other document.
   */
  #keysOfPlainArray(doc: Doc): string[] | undefined {
    let [head, tail] = ['', ''];
    let elements: Set<string> | undefined;
    for (const field of this.fields) {
      const { value, parts } = walkToArray({ field, value: doc, parts: field.parts });
      if (Array.isArray(value)) {
        if (elements || parts.length > 0 || value.length === 0 || value.some(isDoc)) return undefined;
        field.isMultikey = true;
        elements = new Set(value.map(encode));
      } else if (elements) tail += encode(value);
      else head += encode(value);
    }
    return elements ? Array.from(elements, (element) => head + element + tail) : [head];
  }

  #hasAnyField(doc: Doc): boolean {
    return this.fields.some(({ parts }) => someLeaf(doc, parts, (value) => value !== undefined));
  }

  #tuplesOf(doc: Doc): KeyTuple[] {
    return expand(this.fields.map((field) => ({ field, value: doc, parts: field.parts })));
  }
}

/** Entries read from the tree at once: every restart costs a search. */
const SCANNED_AT_ONCE = 64;
/** No key sorts between a key and the key with this suffix. */
const FIRST_CHARACTER = '\0';
const MORE = -1;

/** Whether two documents share the same object at the end of a path or above it. */
function isShared(before: unknown, after: unknown, parts: readonly string[]): boolean {
  let [left, right] = [before, after];
  for (const part of parts) {
    if (left === right) return true;
    if (!isDoc(left) || !isDoc(right)) return false;
    [left, right] = [fieldOf(left, part), fieldOf(right, part)];
  }
  return left === right;
}

/** The state of a walk along one index field. */
interface Walk {
  readonly field: IndexField;
  readonly value: unknown;
  readonly parts: readonly string[];
}

/**
 * All keys of a document: an array yields one key per element. Fields below the same array iterate it together; two
 * different arrays cannot be indexed together, as in MongoDB.
 */
function expand(walks: readonly Walk[]): KeyTuple[] {
  const walked = walks.map(walkToArray);
  const arrays = new Set(walked.map(({ value }) => value).filter(Array.isArray));
  if (arrays.size === 0) return [walked.map(({ value }) => value)];
  const [array] = arrays;
  if (arrays.size > 1 || !array) {
    const paths = walked.filter(({ value }) => Array.isArray(value)).map(({ field }) => field.path);
    fail('CannotIndexParallelArrays', `cannot index parallel arrays [${paths.join('] [')}]`);
  }
  for (const { field, value } of walked) if (value === array) field.isMultikey = true;
  const elements: readonly unknown[] = array.length === 0 ? [undefined] : array;
  return elements.flatMap((element) =>
    expandElement(
      walked.map((walk) => {
        if (walk.value !== array) return { walk, isDone: true };
        const value = array.length === 0 && walk.parts.length === 0 ? EMPTY_ARRAY : element;
        // A nested array is a single value: only documents are walked further.
        return { walk: { ...walk, value }, isDone: walk.parts.length === 0 };
      }),
    ),
  );
}

function expandElement(walks: readonly { walk: Walk; isDone: boolean }[]): KeyTuple[] {
  const open = walks.filter(({ isDone }) => !isDone).map(({ walk }) => walk);
  if (open.length === 0) return [walks.map(({ walk }) => walk.value)];
  const below = open.map((walk) => (isDoc(walk.value) ? walk : { ...walk, value: undefined, parts: [] }));
  return expand(below).map((tuple) => {
    let place = 0;
    return walks.map(({ walk, isDone }) => (isDone ? walk.value : tuple[place++]));
  });
}

/** Follows the path through documents, up to its end or to the first array. */
function walkToArray({ field, value, parts }: Walk): Walk {
  let current = value;
  let depth = 0;
  while (depth < parts.length && !Array.isArray(current)) {
    current = isDoc(current) ? fieldOf(current, parts[depth] ?? '') : undefined;
    depth += 1;
    if (current === undefined) return { field, value: undefined, parts: [] };
  }
  return { field, value: current, parts: parts.slice(depth) };
}

const keyOf = (tuple: KeyTuple): string =>
  tuple
    .map((value) => (value === EMPTY_ARRAY ? EMPTY_ARRAY_KEY : value === undefined ? NULL_KEY : encode(value)))
    .join('');

/** Eight characters that order by sequence, below every type bracket. */
function sequenceSuffix({ sequence }: StoredDocument): string {
  const high = Math.floor(sequence / 2 ** 32);
  return String.fromCharCode(
    0,
    0,
    0,
    high & 255,
    (sequence >>> 24) & 255,
    (sequence >>> 16) & 255,
    (sequence >>> 8) & 255,
    sequence & 255,
  );
}
