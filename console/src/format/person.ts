const ID_SHOWN = 8;

/** A person or key of the API: `USER:<id>`, `API_KEY:<id>` or `OPERATOR:<id>`. */
export interface Person {
  readonly kind: 'you' | 'member' | 'key' | 'operator' | 'other';
  /** Id of the person or API key, or the whole text if the text names no known kind of actor. */
  readonly id: string;
}

/** Reads a text such as `USER:<id>`, by which the API names who did something, such as a review. */
export function readPerson(text: string, me: { readonly userId: string | undefined; readonly keyId: string }): Person {
  const separator = text.indexOf(':');
  const [type, id] = [text.slice(0, separator), text.slice(separator + 1)];
  if ((type === 'USER' && id === me.userId) || (type === 'API_KEY' && id === me.keyId)) return { kind: 'you', id };
  if (type === 'USER') return { kind: 'member', id };
  if (type === 'API_KEY') return { kind: 'key', id };
  return type === 'OPERATOR' ? { kind: 'operator', id } : { kind: 'other', id: text };
}

/** Returns the last characters of a long id, which are enough for people to tell two ids apart. */
export function shortId(id: string): string {
  return id.length > 2 * ID_SHOWN ? `…${id.slice(-ID_SHOWN)}` : id;
}

/** Adds the end of each person's id to names that several people have, so that the names differ. */
export function tellApart<P extends { readonly userId: string; readonly name: string }>(
  people: readonly P[],
): readonly P[] {
  const counts = new Map<string, number>();
  for (const { name } of people) counts.set(name, (counts.get(name) ?? 0) + 1);
  return people.map((person) =>
    counts.get(person.name) === 1 ? person : { ...person, name: `${person.name} (${shortId(person.userId)})` },
  );
}
