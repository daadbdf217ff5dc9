import { randomBytes } from 'node:crypto';
import type { Answer } from '../erp/call.js';
import { timestamp } from './numbers.js';

/** Reason given in a 403 response (KSeF reference, section 6). */
export type ReasonCode =
  | 'missing-permissions'
  | 'ip-not-allowed'
  | 'insufficient-resource-access'
  | 'auth-method-not-allowed'
  | 'security-service-blocked'
  | 'context-type-not-allowed';

interface RefusalDetails {
  readonly status: number;
  /** Error code of the simulated KSeF in a 400 response. */
  readonly code?: number | undefined;
  readonly description?: string | undefined;
  readonly details?: readonly string[] | undefined;
  /** Reason code of the simulated KSeF in a 403 response. */
  readonly reasonCode?: string | undefined;
  readonly security?: Readonly<Record<string, unknown>> | undefined;
  /** Number of seconds to wait after a 429 response of KSeF. */
  readonly retryAfter?: number | undefined;
}

/** Error with which the simulated KSeF responds to a call. */
export class Refusal extends Error {
  readonly details: RefusalDetails;

  constructor(details: RefusalDetails) {
    super(`${details.status} ${details.code ?? ''}`);
    this.name = 'Refusal';
    this.details = details;
  }
}

const descriptions: Readonly<Record<number, string>> = {
  9101: 'Nieprawidłowy dokument.',
  9102: 'Brak podpisu.',
  9103: 'Przekroczona liczba dozwolonych podpisów.',
  9105: 'Nieprawidłowy podpis.',
  21001: 'Nieczytelna treść.',
  21111: 'Nieprawidłowe wyzwanie autoryzacyjne.',
  21115: 'Nieprawidłowy certyfikat.',
  21155: 'Przekroczono dozwoloną liczbę faktur w sesji.',
  21164: 'Faktura o podanym identyfikatorze nie istnieje.',
  21165: 'Faktura o podanym numerze KSeF nie jest jeszcze dostępna.',
  21166: 'Korekta techniczna niedostępna.',
  21167: 'Status faktury nie pozwala na korektę techniczną.',
  21173: 'Brak sesji o wskazanym numerze referencyjnym.',
  21175: 'Wynik zapytania o podanym identyfikatorze nie istnieje.',
  21178: 'Nie znaleziono UPO dla podanych kryteriów.',
  21180: 'Status sesji nie pozwala na wykonanie operacji.',
  21181: 'Nieprawidłowe żądanie eksportu faktur.',
  21182: 'Osiągnięto limit trwających eksportów.',
  21183: 'Zakres filtrowania wykracza poza dostępny zakres danych.',
  21184: 'Sesja jest chwilowo niedostępna.',
  21301: 'Brak autoryzacji.',
  21304: 'Brak uwierzytelnienia.',
  21308: 'Próba wykorzystania metod autoryzacyjnych osoby zmarłej.',
  21401: 'Dokument nie jest zgodny ze schemą (xsd).',
  21402: 'Nieprawidłowy rozmiar pliku.',
  21403: 'Nieprawidłowy skrót pliku.',
  21405: 'Błąd walidacji danych wejściowych.',
  21418: 'Przekazany token kontynuacji ma nieprawidłowy format.',
  21470: 'Przesłany identyfikator klucza jest nieznany lub wskazuje na wycofany klucz.',
};

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

/** Creates a 400 response with one of the published KSeF codes. */
export function badRequest(code: number, ...details: readonly string[]): Refusal {
  return new Refusal({ status: 400, code, details });
}

export function unauthorized(detail: string): Refusal {
  return new Refusal({ status: 401, description: detail });
}

export function forbidden(reasonCode: ReasonCode, security?: Readonly<Record<string, unknown>>): Refusal {
  const description =
    reasonCode === 'missing-permissions'
      ? 'Brak wymaganych uprawnień do wykonania operacji w bieżącym kontekście.'
      : 'Brak dostępu do wskazanego zasobu.';
  return new Refusal({ status: 403, reasonCode, security, description });
}

interface Rendering {
  /** True if the caller of KSeF sent `X-Error-Format: problem-details`. */
  readonly asProblem: boolean;
  /** Path of the KSeF call that was refused. */
  readonly instance: string;
  readonly now: Date;
}

/** Renders a KSeF error in the form that the caller requested. 401, 403 and 410 responses have only one form. */
export function renderRefusal({ details: refusal }: Refusal, { asProblem, instance, now }: Rendering): Answer {
  const { status, code = status, reasonCode, security, retryAfter } = refusal;
  const description = refusal.description ?? descriptions[code] ?? titles[status] ?? 'Error';
  const details = refusal.details ?? [];
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const at = timestamp(now);
  const hasLegacyForm = ![401, 403, 404, 410, 415].includes(status);
  if (!asProblem && hasLegacyForm) {
    const body =
      status === 429
        ? { status: { code: 429, description: titles[429], details: [description] } }
        : {
            exception: {
              exceptionDetailList: [{ exceptionCode: code, exceptionDescription: description, details }],
              serviceCode: traceId(),
              timestamp: at,
            },
          };
    return { status, headers, body };
  }
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: {
      title: titles[status] ?? 'Error',
      status,
      instance,
      detail: status === 400 ? 'Żądanie jest nieprawidłowe.' : description,
      ...(status === 400 || refusal.code !== undefined ? { errors: [{ code, description, details }] } : {}),
      ...(reasonCode === undefined ? {} : { reasonCode, security: security ?? null }),
      timestamp: at,
      traceId: traceId(),
    },
  };
}

/** Returns the response of a proxy in front of KSeF, which has neither a reason code nor a published form. */
export function gatewayBlock(now: Date): Answer {
  return {
    status: 403,
    headers: { 'content-type': 'application/problem+json' },
    body: {
      title: 'Request blocked',
      status: 403,
      detail: 'The request was blocked by the security policy.',
      security: { incidentId: traceId() },
      timestamp: timestamp(now),
    },
  };
}

function traceId(): string {
  return randomBytes(16).toString('hex');
}
