const WAIT = /^wait\s*=\s*"?([0-9]{1,6})"?$/;
/** An empty value is as good as none (RFC 7240, section 2). */
const RESPOND_ASYNC = /^respond-async\s*(?:=\s*(?:"")?)?$/;

export interface AsyncPreference {
  readonly respondAsync: boolean;
  /** How long the caller would wait for the result first; undefined where it does not say. */
  readonly waitSeconds: number | undefined;
}

/**
 * Whether the caller would rather have an answer soon than the result (RFC 7240, sections 4.1 and 4.3; HTTP and security
 * reference, section 4). What is not understood is ignored, as that standard wants it; of several the first holds.
 * @param header several headers count as one list
 */
export function asyncPreference(header: string | readonly string[] | undefined): AsyncPreference {
  const list = typeof header === 'string' ? header : (header ?? []).join(',');
  const preferences = preferencesIn(list);
  const wait = preferences.map((preference) => WAIT.exec(preference)?.[1]).find(Boolean);
  return {
    respondAsync: preferences.some((preference) => RESPOND_ASYNC.test(preference)),
    waitSeconds: wait === undefined ? undefined : Number(wait),
  };
}

/**
 * The preferences of a list in lower case, each with its value and without its parameters. A quoted text may hold commas and
 * semicolons. A pattern for this would search each unclosed quote to the end of the header again, hence one pass by hand.
 */
function preferencesIn(list: string): string[] {
  const preferences: string[] = [];
  let isQuoted = false;
  let start = 0;
  let end: number | undefined;
  const add = (at: number): void => {
    preferences.push(
      list
        .slice(start, end ?? at)
        .trim()
        .toLowerCase(),
    );
    start = at + 1;
    end = undefined;
  };
  for (let at = 0; at < list.length; at += 1) {
    const character = list.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === '\\') at += 1;
    else if (!isQuoted && character === ';') end ??= at;
    else if (!isQuoted && character === ',') add(at);
  }
  add(list.length);
  return preferences;
}
