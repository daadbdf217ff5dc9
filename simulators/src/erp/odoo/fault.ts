/** An exception of Odoo, which is returned by JSON-2 or JSON-RPC. */
export class OdooFault extends Error {
  /** Name of the Odoo exception, such as `odoo.exceptions.AccessError`. */
  readonly exception: string;
  readonly status: number;

  constructor(status: number, exception: string, message: string) {
    super(message);
    this.status = status;
    this.exception = exception;
  }

  toJson(): Readonly<Record<string, unknown>> {
    return {
      name: this.exception,
      message: this.message,
      arguments: [this.message],
      context: {},
      debug: `Traceback (most recent call last):\n  File "/opt/odoo/odoo/http.py", line 2138, in _transactioning\n${this.exception}: ${this.message}\n`,
    };
  }
}

export function accessDenied(model: string): OdooFault {
  return new OdooFault(
    403,
    'odoo.exceptions.AccessError',
    `You are not allowed to access '${model}' records.\n\nContact your administrator to request access if necessary.`,
  );
}

export function invalidApiKey(): OdooFault {
  return new OdooFault(401, 'werkzeug.exceptions.Unauthorized', 'Invalid apikey');
}

export function valueError(message: string): OdooFault {
  return new OdooFault(500, 'builtins.ValueError', message);
}

export function unprocessable(message: string): OdooFault {
  return new OdooFault(422, 'werkzeug.exceptions.UnprocessableEntity', message);
}

export function notFound(message: string): OdooFault {
  return new OdooFault(404, 'werkzeug.exceptions.NotFound', message);
}
