type Words<Code extends string> = Lowercase<Code>;

/** Returns a code of the domain as the value of an attribute: all values of metrics are in lower case. */
export function inWords<Code extends string>(code: Code): Words<Code> {
  return code.toLowerCase() as Words<Code>;
}
