/** The types in this file are the rows of one environment's tables, stored as JSON. Instants are ISO strings. */
export interface Context {
  readonly nip: string;
  readonly tokens: readonly Token[];
  /** Permissions of companies and persons who log in by certificate, by their NIP or PESEL. The company itself has all of them. */
  readonly people?: Readonly<Record<string, readonly string[]>>;
  /** NIPs of other sellers whose invoices this context may send; `*`: of any. */
  readonly grants: readonly string[];
  /** Instead of the one of the settings. */
  readonly limitFactor: number | undefined;
}

export interface Token {
  readonly token: string;
  readonly referenceNumber: string;
  readonly permissions: readonly string[];
  readonly state: 'ACTIVE' | 'REVOKED' | 'INACTIVE';
}

export interface Challenge {
  readonly timestampMs: number;
  readonly isUsed: boolean;
}

export interface Status {
  readonly code: number;
  readonly description: string;
  readonly details?: readonly string[];
  readonly extensions?: Readonly<Record<string, string>>;
}

export interface Authentication {
  readonly referenceNumber: string;
  readonly context: string;
  /** The token of KSeF; null where it could not be read, and for a login by certificate. */
  readonly token: string | null;
  /** Present for a login by certificate. */
  readonly signed?: SignedLogin | undefined;
  readonly startedAt: string;
  /** Final status, which appears after enough polls. */
  readonly outcome: Status;
  readonly looks: number;
  readonly isRedeemed: boolean;
  readonly refreshedAt: string | null;
  readonly refreshValidUntil: string | null;
}

/** A login request that a certificate signed. */
export interface SignedLogin {
  /** NIP or PESEL in the subject of the certificate. */
  readonly identity: string;
  readonly serialNumber: string;
  /** SHA-256 of the request as it was sent, in base64. */
  readonly hash: string;
}

/** A token that authorizes calls. */
export interface Bearer {
  readonly type: BearerType;
  readonly authentication: string;
  readonly context: string;
  readonly validUntil: string;
  readonly isDead: boolean;
}
export type BearerType = 'AuthenticationToken' | 'ContextToken' | 'RefreshToken';

export interface Session {
  readonly referenceNumber: string;
  readonly context: string;
  readonly tokenReferenceNumber: string | null;
  /** SHA-256 of the signed request, in base64, where a certificate logged in. */
  readonly loginHash?: string | undefined;
  readonly formCode: FormCode;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly validUntil: string;
  readonly closedAt: string | null;
  /** Base64; null where the key could not be decrypted. */
  readonly key: string | null;
  readonly iv: string;
  readonly status: number;
  /** Number of polls that still find status 170. */
  readonly looks: number;
  /** Looks that a fault adds. */
  readonly looksMore: number;
  readonly invoices: readonly string[];
  readonly upo: string | null;
  /** True for an earlier document that `POST /control/invoices` registered. */
  readonly isForeign: boolean;
}

/** The login of the sender of a session, as a confirmation tells it. */
export type Proof = Pick<Session, 'tokenReferenceNumber' | 'loginHash'>;

export interface FormCode {
  readonly systemCode: string;
  readonly schemaVersion: string;
  readonly value: string;
}

/** The number by which a document identifies a party; InternalId is one of Podmiot3 alone. */
export interface PartyIdentifier {
  readonly type: 'Nip' | 'InternalId' | 'VatUe' | 'Other' | 'None';
  readonly value: string | null;
}

export interface ThirdSubject {
  readonly identifier: PartyIdentifier;
  readonly name: string | null;
  /** Rola; 0 for RolaInna. */
  readonly role: number;
}

/** Facts that a document states, for duplicates, rights, metadata and confirmations. */
export interface InvoiceFacts {
  readonly sellerNip: string;
  readonly sellerName: string;
  readonly buyer: PartyIdentifier;
  readonly buyerName: string | null;
  /** Podmiot3; absent in records of earlier versions, as the next one. */
  readonly thirdSubjects?: readonly ThirdSubject[];
  /** PodmiotUpowazniony. */
  readonly authorizedSubject?: { readonly nip: string; readonly name: string | null; readonly role: number } | null;
  /** RodzajFaktury. */
  readonly kind: string;
  /** P_2. */
  readonly number: string;
  /** P_1. */
  readonly issueDate: string;
  readonly currency: string;
  readonly net: number;
  readonly vat: number;
  readonly gross: number;
  readonly isSelfInvoicing: boolean;
  readonly hasAttachment: boolean;
  readonly formCode: FormCode;
}

export interface Invoice {
  readonly referenceNumber: string;
  readonly session: string;
  readonly context: string;
  readonly ordinalNumber: number;
  readonly invoiceHash: string;
  readonly receivedAt: string;
  /** Facts of the document; null when it could not be read. */
  readonly facts: InvoiceFacts | null;
  /** Status that the document itself causes; null when only rights and duplicates are left to check. */
  readonly failure: Status | null;
  readonly looks: number;
  /** Null while it is processed. */
  readonly final: Status | null;
  readonly ksefNumber: string | null;
  readonly acquiredAt: string | null;
  /** Time of permanent storage as KSeF writes it, from which on buyers receive it; absent until it is accepted. */
  readonly storedAt?: string;
  /** Lists of invoices that leave it out. */
  readonly hiddenLooks: number;
  /** Status that a fault forces; below 200 until the fault is gone. */
  readonly forced: (Status & { readonly fault: string }) | null;
  readonly upo: string | null;
}

/** A document in the repository of KSeF, by seller, kind and number. */
export interface Registered {
  readonly sellerNip: string;
  readonly kind: string;
  readonly number: string;
  readonly ksefNumber: string;
  readonly invoiceHash: string;
  readonly sessionReferenceNumber: string;
  readonly context: string;
  readonly invoice: string;
}

export interface Confirmation {
  readonly referenceNumber: string;
  readonly session: string;
  readonly xml: string;
}

/** An export of invoices (R1), whose list of invoices is a row of its own. */
export interface Export {
  readonly referenceNumber: string;
  readonly context: string;
  readonly startedAt: string;
  /** Base64; null where the key could not be decrypted. */
  readonly key: string | null;
  readonly iv: string;
  /** Final status, which appears after enough polls. */
  readonly outcome: Status;
  /** The fault that keeps the export at 100 for as long as it exists. */
  readonly heldBy: string | null;
  readonly looks: number;
  readonly endedAt: string | null;
  readonly isOnlyMetadata: boolean;
  readonly partBytesMax: number;
  readonly isTruncated: boolean;
  /** The limits of the package as R2 states them. */
  readonly dates: Readonly<Record<string, string | null>>;
  readonly tampering: Tampering;
}

/** Faults of a package, which are chosen when its export starts. */
export interface Tampering {
  /** Files of zeros under the numbers of invoices that do not exist. */
  readonly bomb: { readonly bytes: number; readonly entries: number } | null;
  /** A file that the metadata lacks. */
  readonly extraFile: { readonly name: string; readonly content: string } | null;
  /** The metadata name an invoice that has no file. */
  readonly isFileMissing: boolean;
  /** The metadata end in the middle. */
  readonly isMetadataCut: boolean;
}

export interface Settings {
  readonly authPolls: number;
  readonly invoicePolls: number;
  readonly sessionPolls: number;
  readonly exportPolls: number;
  /** Invoices after which a package is truncated. */
  readonly exportInvoicesMax: number;
  /** Bytes of one part of a package, before encryption. */
  readonly partBytesMax: number;
  /** Seconds by which the high water mark is behind. */
  readonly highWaterLagSeconds: number;
  /** Factor of the limits; 0 switches them off. */
  readonly limitFactor: number;
  readonly systemWarning: string | null;
}
