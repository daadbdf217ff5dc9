type Words<Code extends string> = Lowercase<Code>;

/** Returns a code of the domain in lower case, because all values of metric attributes are in lower case. */
export function inWords<Code extends string>(code: Code): Words<Code> {
  return code.toLowerCase() as Words<Code>;
}
