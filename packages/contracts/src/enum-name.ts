/** Enum of a gRPC contract, in the form that the code generator writes. */
export interface WireEnum {
  readonly UNSPECIFIED: 0;
  readonly UNRECOGNIZED: -1;
  readonly [name: string]: number;
}

/** The value names of a protobuf enum except UNSPECIFIED and UNRECOGNIZED. */
type EnumName<E extends WireEnum> = Exclude<keyof E & string, 'UNSPECIFIED' | 'UNRECOGNIZED'>;

const namesByEnum = new WeakMap<WireEnum, ReadonlyMap<number, string>>();

/**
 * Returns the name of an enum value. The enum itself maps the name back: `Severity[name]`.
 * @throws TypeError for UNSPECIFIED and for a value of a newer contract version
 */
export function enumName<E extends WireEnum>(wireEnum: E, value: E[keyof E]): EnumName<E> {
  const name = optionalEnumName(wireEnum, value);
  if (name === undefined) throw new TypeError(`${value} is not one of ${[...namesOf(wireEnum).values()].join(', ')}.`);
  return name;
}

/** Returns the name of an enum value, or undefined for UNSPECIFIED and for a value of a newer contract version. */
export function optionalEnumName<E extends WireEnum>(wireEnum: E, value: E[keyof E]): EnumName<E> | undefined {
  return namesOf(wireEnum).get(value) as EnumName<E> | undefined;
}

function namesOf(wireEnum: WireEnum): ReadonlyMap<number, string> {
  let names = namesByEnum.get(wireEnum);
  if (names === undefined) {
    names = new Map(Object.entries(wireEnum).flatMap(([name, value]) => (value > 0 ? [[value, name]] : [])));
    namesByEnum.set(wireEnum, names);
  }
  return names;
}
