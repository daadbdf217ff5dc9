import { enumName } from '@invoicecontrol/contracts/enum-name';
import type { WireEnum } from '@invoicecontrol/contracts/enum-name';
import { z } from 'zod';
import { exampleOf, examples } from './examples.js';
import { shownId, shownInstant, showInstant, stated } from './fields.js';

/**
 * A field of an API record: its published schema, an example, and the function that reads its value from a gRPC
 * message.
 */
export interface Field<Message, S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /**
   * Value of a field of a record in the published example of the API. Undefined if the example does not have the field.
   */
  readonly example: z.infer<S>;
  /**
   * Reads the value of a response field from the gRPC message. Returns undefined if the response does not have the
   * field.
   */
  readonly read: (message: Message) => z.infer<S>;
}

/** Response field that shows the property of the gRPC message with the same name. */
interface NamesakeField<Value, S extends z.ZodType = z.ZodType> extends Omit<Field<never, S>, 'read'> {
  readonly show: (value: Value) => z.infer<S>;
}

/** Name of the gRPC message property that a response field shows. Undefined if the field has the same name. */
type Source = string | undefined;

/** A response field that shows the gRPC message property `K`, or the property of the same name if `K` is undefined. */
type PropertyField<K extends Source, Value, S extends z.ZodType> = K extends string
  ? Field<undefined extends Value ? MayHave<K, Value> : { readonly [P in K]: Value }, S>
  : NamesakeField<Value, S>;

/** Type of a gRPC message that may have the named property. */
type MayHave<K extends string, V> = { readonly [P in K]?: V | undefined };

/** Type of the response fields that may be declared under the name `Name` in a record that is built from `Message`. */
type Declared<Message, Name> = Field<Message> | (Name extends keyof Message ? NamesakeField<Message[Name]> : never);
type Shape = Readonly<Record<string, z.ZodType>>;
type ShapeOf<F> = { -readonly [N in keyof F]: F[N] extends { readonly schema: infer S extends z.ZodType } ? S : never };

/** An API record, whose description and responses are built from the same fields. */
export interface ShownRecord<Message, S extends Shape> {
  readonly fields: { readonly [N in keyof S]: Field<Message, S[N]> };
  readonly schema: z.ZodObject<S>;
  readonly present: (message: Message) => z.infer<z.ZodObject<S>>;
}

/**
 * Declares an API record: `record<Company>('Company')({ name: text('ACME GmbH', 'The name of the company.'), ... })`.
 * @param id name of the published schema; absent for a part of a single record
 */
export function record<Message>(id?: string, description?: string) {
  return <F extends { readonly [N in keyof F]: Declared<Message, N> }>(
    declared: F,
  ): ShownRecord<Message, ShapeOf<F>> => {
    const all = Object.entries<Field<Message> | NamesakeField<never>>(declared).map(([name, field]) => ({
      name,
      schema: field.schema,
      example: field.example,
      read: 'read' in field ? field.read : (message: Message) => field.show(message[name as keyof Message] as never),
    }));
    const shape = Object.fromEntries(all.map(({ name, schema }) => [name, schema])) as ShapeOf<F>;
    const example = Object.fromEntries(
      all.filter((field) => field.example !== undefined).map((field) => [field.name, field.example]),
    );
    const meta = { ...(id === undefined ? {} : { id }), ...(description === undefined ? {} : { description }) };
    return {
      fields: Object.fromEntries(all.map((field) => [field.name, field])) as never,
      schema: z
        .object(shape)
        .meta(meta)
        .register(examples, { example } as never),
      present(message) {
        const answer: Record<string, unknown> = {};
        for (const { name, read } of all) {
          const value = read(message);
          if (value !== undefined) answer[name] = value;
        }
        return answer as z.infer<z.ZodObject<ShapeOf<F>>>;
      },
    };
  };
}

/** Declares a response field that a function computes from the gRPC message. */
export function made<S extends z.ZodType, Message>(
  schema: S,
  read: (message: Message) => z.infer<S>,
  example: z.infer<S>,
): Field<Message, S> {
  return { schema, example, read };
}

/**
 * Declares a response field that shows one property of the gRPC message.
 * @param source name of the property, if it is not the name of the field
 */
function property<Value, S extends z.ZodType, K extends Source>(
  schema: S,
  example: z.infer<S>,
  source: K | undefined,
  show: (value: Value) => z.infer<S>,
): PropertyField<K, Value, S> {
  const field: NamesakeField<Value, S> | Field<Readonly<Record<string, Value>>, S> =
    source === undefined
      ? { schema, example, show }
      : { schema, example, read: (message) => show(message[source] as Value) };
  return field as PropertyField<K, Value, S>;
}

/**
 * Declares a response field with the value of a gRPC message property. The other functions of this module call this
 * function, each for one kind of schema.
 */
export function field<S extends z.ZodType, K extends Source = undefined>(schema: S, example: z.infer<S>, source?: K) {
  return property<z.infer<S>, S, K>(schema, example, source, (value) => value);
}

export function text<K extends Source = undefined>(example: string, description: string, source?: K) {
  return field(z.string().describe(description), example, source);
}

export function textOrNull<K extends Source = undefined>(example: string | null, description: string, source?: K) {
  return orNull(z.string(), example, description, source);
}

export function id<K extends Source = undefined>(example: string, description: string, source?: K) {
  return field(shownId().describe(description), example, source);
}

/** Declares a response field that holds a count. */
export function count<K extends Source = undefined>(example: number, description: string, source?: K) {
  return field(z.int().min(0).describe(description), example, source);
}

export function idOrNull<K extends Source = undefined>(example: string | null, description: string, source?: K) {
  return orNull(shownId(), example, description, source);
}

export function flag<K extends Source = undefined>(example: boolean, description: string, source?: K) {
  return field(z.boolean().describe(description), example, source);
}

/** Declares a field of a response that is null if the gRPC message does not have the property. */
export function orNull<S extends z.ZodType, K extends Source = undefined>(
  schema: S,
  example: z.infer<S> | null,
  description: string,
  source?: K,
) {
  return property<z.infer<S> | undefined, z.ZodNullable<S>, K>(
    schema.nullable().describe(description),
    example,
    source,
    (value) => value ?? null,
  );
}

/** Declares a field of a response that is absent if the gRPC message does not have the property. */
export function optional<S extends z.ZodType, K extends Source = undefined>(
  schema: S,
  example: z.infer<S> | undefined,
  description: string,
  source?: K,
) {
  return field(schema.optional().describe(description), example, source);
}

/** Declares a response field for a time that every gRPC message has. */
export function instant<K extends Source = undefined>(example: string, description: string, source?: K) {
  return property<Date | undefined, z.ZodString, K>(shownInstant().describe(description), example, source, showInstant);
}

/** Declares a response field with a time, or null until the time is known. */
export function instantOrNull<K extends Source = undefined>(example: string | null, description: string, source?: K) {
  return property<Date | undefined, z.ZodNullable<z.ZodString>, K>(
    shownInstant().nullable().describe(description),
    example,
    source,
    (instant) => (instant === undefined ? null : showInstant(instant)),
  );
}

/**
 * Declares a response field with one of several words, which the service sends as a string. Reading throws a TypeError
 * for another word.
 */
export function word<E extends z.ZodEnum, K extends Source = undefined>(schema: E, example: z.infer<E>, source?: K) {
  return property<string, E, K>(schema, example, source, (value) => oneOf(schema, value));
}

/**
 * Declares a response field with the name of an enum value of the gRPC contract. Reading throws a TypeError for a value
 * without a published name.
 */
export function name<E extends z.ZodEnum, W extends WireEnum, K extends Source = undefined>(
  schema: E,
  wireEnum: W,
  example: z.infer<E>,
  source?: K,
) {
  return property<W[keyof W], E, K>(schema, example, source, (value) => oneOf(schema, enumName(wireEnum, value)));
}

/** Declares a response field that is itself a record. */
export function part<Message, S extends Shape, K extends Source = undefined>(
  { schema, present }: ShownRecord<Message, S>,
  description?: string,
  source?: K,
) {
  return property<Message | undefined, z.ZodObject<S>, K>(
    description === undefined ? schema : schema.describe(description),
    exampleOf(schema),
    source,
    (message) => present(stated<Message>(message)),
  );
}

export function partOrNull<Message, S extends Shape, K extends Source = undefined>(
  { schema, present }: ShownRecord<Message, S>,
  description: string,
  source?: K,
) {
  return property<Message | undefined, z.ZodNullable<z.ZodObject<S>>, K>(
    schema.nullable().describe(description),
    exampleOf(schema),
    source,
    (message) => (message === undefined ? null : present(message)),
  );
}

/**
 * Declares a response field that is a list of records. Its example contains the record's example, unless another
 * example is given.
 */
export function list<Message, S extends Shape, K extends Source = undefined>(
  { schema, present }: ShownRecord<Message, S>,
  description: string,
  {
    itemsMax,
    example = [exampleOf(schema)],
    source,
  }: { itemsMax?: number; example?: z.infer<z.ZodObject<S>>[]; source?: K } = {},
) {
  const items = z.array(schema);
  return property<readonly Message[], z.ZodArray<z.ZodObject<S>>, K>(
    (itemsMax === undefined ? items : items.max(itemsMax)).describe(description),
    example,
    source,
    (messages) => messages.map(present),
  );
}

/** Declares fields whose values are in a nested gRPC message, as part of a larger record. */
export function within<Message, S extends Shape, K extends string>(
  source: K,
  { fields }: ShownRecord<Message, S>,
): { readonly [N in keyof S]: Field<MayHave<K, Message>, S[N]> } {
  return Object.fromEntries(
    Object.entries<Field<Message>>(fields).map(([name, { schema, example, read }]) => [
      name,
      { schema, example, read: (message: MayHave<K, Message>) => read(stated<Message>(message[source])) },
    ]),
  ) as never;
}

/** Returns the value of a gRPC enum if the response schema contains it, and throws a TypeError otherwise. */
export function oneOf<E extends z.ZodEnum>({ enum: words }: E, value: string): z.infer<E> {
  if (!Object.hasOwn(words, value))
    throw new TypeError(`The value ${value} is not one of ${Object.keys(words).join(', ')}.`);
  return value as z.infer<E>;
}
