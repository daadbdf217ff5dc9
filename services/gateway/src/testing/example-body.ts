import { exampleOf } from '../http/description/examples.js';
import type { Route } from '../http/description/route.js';

/** Returns the example body of a route in the encoding of the route, or nothing for a route without a body. */
export function exampleBody({ body, isForm, xml }: Pick<Route, 'body' | 'isForm' | 'xml'>): {
  readonly type: string;
  readonly body?: string;
} {
  if (body === undefined && xml !== undefined) return { type: 'application/xml', body: '<Document/>' };
  const example = body === undefined ? undefined : exampleOf(body);
  if (isForm !== true) {
    return { type: 'application/json', ...(example === undefined ? {} : { body: JSON.stringify(example) }) };
  }
  const form = new URLSearchParams(example as Record<string, string>);
  return { type: 'application/x-www-form-urlencoded', body: form.toString() };
}
