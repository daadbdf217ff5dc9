/** Error with which the simulated Paddle API refuses a request. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.name = 'ApiRefusal';
    this.status = status;
    this.code = code;
  }
}

export function invalid(detail: string): ApiRefusal {
  return new ApiRefusal(400, 'invalid_field', detail);
}
