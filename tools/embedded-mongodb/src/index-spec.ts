import { fail, failUnsupported } from './errors.js';
import type { IndexSpec } from './ordered-index.js';
import { countOf, docOf, isDoc, isSet, show, type Doc } from './values.js';

const EXPIRE_SECONDS_MAX = 2_147_483_647;

/**
 * Reads an index as `createIndexes` sends it: unique, compound, descending, sparse and TTL.
 * @throws MongoError CannotCreateIndex for an invalid one, CommandNotSupported for kinds that only MongoDB supports
 */
export function parseIndexSpec(spec: Doc): IndexSpec {
  // Older drivers send v, background and ns, which have no effect.
  const { key, name, unique, sparse, expireAfterSeconds, v, background, ns, ...others } = spec;
  const [other] = Object.keys(others);
  if (other !== undefined) failUnsupported(`The index option '${other}'`);
  const fields = Object.entries(docOf(key, 'key')).map(([path, value]) => [path, directionOf(path, value)] as const);
  if (fields.length === 0) fail('CannotCreateIndex', 'Index keys cannot be an empty object');
  if (typeof name !== 'string' || name === '') fail('CannotCreateIndex', 'An index needs a name');
  const isExpiring = expireAfterSeconds !== undefined;
  const seconds = countOf(expireAfterSeconds, 'expireAfterSeconds', 0);
  if (isExpiring && (fields.length > 1 || fields[0]?.[0] === '_id')) {
    fail('CannotCreateIndex', 'TTL indexes are single-field indexes, not on _id');
  }
  if (seconds < 0 || seconds > EXPIRE_SECONDS_MAX) {
    fail('CannotCreateIndex', `expireAfterSeconds must be between 0 and ${EXPIRE_SECONDS_MAX}`);
  }
  return {
    name,
    key: Object.fromEntries(fields),
    ...(isSet(unique) ? { unique: true } : {}),
    ...(isSet(sparse) ? { sparse: true } : {}),
    ...(isExpiring ? { expireAfterSeconds: seconds } : {}),
  };
}

function directionOf(path: string, value: unknown): 1 | -1 {
  if (typeof value === 'string') failUnsupported(`An index of type '${value}'`);
  if (path.includes('$**')) failUnsupported('A wildcard index');
  const direction = isDoc(value) ? 0 : Number(value);
  if (!Number.isFinite(direction) || direction === 0) {
    fail('CannotCreateIndex', `Values in the index key pattern must be 1 or -1, not ${show(value)} (field '${path}')`);
  }
  return direction > 0 ? 1 : -1;
}
