const ID_SHOWN = 8;

/** A person or key of the API: `USER:<id>`, `API_KEY:<id>` or `OPERATOR:<id>`. */
export interface Person {
  readonly kind: 'you' | 'member' | 'key' | 'operator' | 'other';
  /** Beginning of the id of a user or API key, by which people can tell two of them apart. */
  readonly id: string;
}

/** Reads the text by which the API names who did something, such as a review. */
export function readPerson(text: string, me: { readonly userId: string | undefined; readonly keyId: string }): Person {
  const separator = text.indexOf(':');
  const [type, id] = [text.slice(0, separator), text.slice(separator + 1)];
  const short = id.length > 2 * ID_SHOWN ? `…${id.slice(-ID_SHOWN)}` : id;
  if ((type === 'USER' && id === me.userId) || (type === 'API_KEY' && id === me.keyId))
    return { kind: 'you', id: short };
  if (type === 'USER') return { kind: 'member', id: short };
  if (type === 'API_KEY') return { kind: 'key', id: short };
  return type === 'OPERATOR' ? { kind: 'operator', id: short } : { kind: 'other', id: text };
}
