import type { AttributesOf } from '@invoicecontrol/runtime/telemetry/schema';

type RequestAttributes = AttributesOf<'http.server.request.duration'>;
export type Method = RequestAttributes['http.request.method'];

const METHODS: ReadonlySet<string> = new Set<Method>(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Returns the name of a known HTTP method. All other methods are counted under one name in metrics, because callers may
 * invent any number of them.
 */
export function methodOf(method: string): Method {
  return METHODS.has(method) ? (method as Method) : '_OTHER';
}

const known = new Map<string, RequestAttributes>();

/**
 * Returns the attributes of an HTTP request for traces and metrics. There are few combinations of method, route and
 * status, so the attributes of each combination are created once.
 * @param status undefined if the caller disconnected before the response
 */
export function requestAttributes(
  method: Method,
  route: string | undefined,
  status: number | undefined,
): RequestAttributes {
  const key = `${method} ${route ?? ''} ${status ?? ''}`;
  let attributes = known.get(key);
  if (attributes === undefined) {
    attributes = {
      'http.request.method': method,
      ...(route === undefined ? {} : { 'http.route': route }),
      ...(status === undefined ? { 'error.type': 'caller_left' } : { 'http.response.status_code': String(status) }),
      ...(status !== undefined && status >= 500 ? { 'error.type': String(status) } : {}),
    };
    known.set(key, attributes);
  }
  return attributes;
}
