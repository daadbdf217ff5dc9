/**
 * A company or person on whose behalf KSeF calls are made. The types in this file are the rows of one environment's
 * tables, stored as JSON. Instants are ISO strings.
 */
export interface Context {
  readonly nip: string;
  readonly tokens: readonly Token[];
  /**
   * Permissions that companies and persons who log in by certificate have for this context, keyed by their NIP or
   * PESEL. The company of the context has all permissions.
   */
  readonly people?: Readonly<Record<string, readonly string[]>>;
  /** NIPs of other sellers whose invoices this context may send. `*` allows all sellers. */
  readonly grants: readonly string[];
  /** Factor for the KSeF limits of this taxpayer, which replaces the factor in the settings of the simulator. */
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
  /** The KSeF token of the login. Null if it could not be decrypted, and for a login by certificate. */
  readonly token: string | null;
  /** The signed login request to KSeF. Present for a login by certificate. */
  readonly signed?: SignedLogin | undefined;
  readonly startedAt: string;
  /** Final status of the login to KSeF, which is shown after enough polls. */
  readonly outcome: Status;
  readonly looks: number;
  readonly isRedeemed: boolean;
  readonly refreshedAt: string | null;
  readonly refreshValidUntil: string | null;
}

/** A login request to KSeF signed with a certificate. */
export interface SignedLogin {
  /** NIP or PESEL in the subject of the login certificate. */
  readonly identity: string;
  readonly serialNumber: string;
  /** SHA-256 hash of the KSeF login request as it was sent, in base64. */
  readonly hash: string;
}

/** A bearer token that authorizes calls to the simulated KSeF. */
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
  /** SHA-256 hash of the signed login request in base64. Present if a certificate was used to log in. */
  readonly loginHash?: string | undefined;
  readonly formCode: FormCode;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly validUntil: string;
  readonly closedAt: string | null;
  /** Symmetric key of the KSeF session in base64, or null if it could not be decrypted. */
  readonly key: string | null;
  readonly iv: string;
  readonly status: number;
  /** Number of further polls of the closed KSeF session that return status 170. */
  readonly looks: number;
  /** Number of polls of the KSeF session that a simulated fault adds. */
  readonly looksMore: number;
  readonly invoices: readonly string[];
  readonly upo: string | null;
  /** True for the KSeF session of an earlier document that `POST /control/invoices` registered. */
  readonly isForeign: boolean;
}

/** Login data of a KSeF session, as the confirmation of receipt states it. */
export type Proof = Pick<Session, 'tokenReferenceNumber' | 'loginHash'>;

export interface FormCode {
  readonly systemCode: string;
  readonly schemaVersion: string;
  readonly value: string;
}

/** Number that identifies a party in an FA(3) document. Only Podmiot3 may have an InternalId. */
export interface PartyIdentifier {
  readonly type: 'Nip' | 'InternalId' | 'VatUe' | 'Other' | 'None';
  readonly value: string | null;
}

export interface ThirdSubject {
  readonly identifier: PartyIdentifier;
  readonly name: string | null;
  /** Role of the third party of the FA(3) invoice (field Rola), or 0 for RolaInna. */
  readonly role: number;
}

/** FA(3) fields that duplicates, permissions, metadata and confirmations need. */
export interface InvoiceFacts {
  readonly sellerNip: string;
  readonly sellerName: string;
  readonly buyer: PartyIdentifier;
  readonly buyerName: string | null;
  /** Parties in Podmiot3 of the FA(3) document. Absent in records that earlier versions of the simulator stored. */
  readonly thirdSubjects?: readonly ThirdSubject[];
  /**
   * Authorized party of the invoice (field PodmiotUpowazniony). Absent in records that earlier versions of the
   * simulator stored.
   */
  readonly authorizedSubject?: { readonly nip: string; readonly name: string | null; readonly role: number } | null;
  /** Kind of the submitted invoice (field RodzajFaktury). */
  readonly kind: string;
  /** Number of the submitted invoice (field P_2 of the FA(3) document). */
  readonly number: string;
  /** Issue date of the submitted invoice (field P_1). */
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
  /** Fields of the FA(3) document, or null if the document could not be read. */
  readonly facts: InvoiceFacts | null;
  /**
   * Status of the KSeF invoice if its document has a fault. Null if only permissions and duplicates remain to be
   * checked.
   */
  readonly failure: Status | null;
  readonly looks: number;
  /** Final status of the KSeF invoice, or null while the invoice is being processed. */
  readonly final: Status | null;
  readonly ksefNumber: string | null;
  readonly acquiredAt: string | null;
  /**
   * Time at which the simulated KSeF stored the invoice permanently, as text in the format of KSeF. Buyers receive the
   * invoice from this time on. Absent until the invoice is accepted.
   */
  readonly storedAt?: string;
  /**
   * Number of further responses with the invoice list of a KSeF session from which a simulated fault leaves out this
   * invoice.
   */
  readonly hiddenLooks: number;
  /**
   * Status of the invoice that a simulated fault forces. If the code is below 200, the status remains until the fault
   * is removed.
   */
  readonly forced: (Status & { readonly fault: string }) | null;
  readonly upo: string | null;
}

/** A document in the KSeF repository, identified by seller, kind and number. */
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

/** An export of invoices from KSeF (R1). The invoice list of the export is a separate record. */
export interface Export {
  readonly referenceNumber: string;
  readonly context: string;
  readonly startedAt: string;
  /** Symmetric key of the KSeF export in base64, or null if it could not be decrypted. */
  readonly key: string | null;
  readonly iv: string;
  /** Final status of the KSeF export, which is shown after enough polls. */
  readonly outcome: Status;
  /** Id of the fault that keeps the KSeF export at status 100 while the fault exists. */
  readonly heldBy: string | null;
  readonly looks: number;
  readonly endedAt: string | null;
  readonly isOnlyMetadata: boolean;
  readonly partBytesMax: number;
  readonly isTruncated: boolean;
  /** Dates that the R2 response (status of an export) states about the KSeF invoice package. */
  readonly dates: Readonly<Record<string, string | null>>;
  readonly tampering: Tampering;
}

/** Faults in the package of a KSeF export. They are chosen when the export starts. */
export interface Tampering {
  /** Files of zero bytes whose names are the numbers of invoices that do not exist. */
  readonly bomb: { readonly bytes: number; readonly entries: number } | null;
  /** A file of the KSeF package that is missing from its metadata. */
  readonly extraFile: { readonly name: string; readonly content: string } | null;
  /** True if the metadata of the package lists an invoice that has no file. */
  readonly isFileMissing: boolean;
  /** True if the metadata file of the KSeF package is truncated. */
  readonly isMetadataCut: boolean;
}

export interface Settings {
  readonly authPolls: number;
  readonly invoicePolls: number;
  readonly sessionPolls: number;
  readonly exportPolls: number;
  /** Time in seconds after which a KSeF export is complete even if no client polls it. */
  readonly exportSeconds: number;
  /** Number of invoices after which a KSeF invoice package is truncated. */
  readonly exportInvoicesMax: number;
  /** Maximum size of one part of an invoice package in bytes, before encryption. */
  readonly partBytesMax: number;
  /** Number of seconds by which the high water mark of KSeF is behind the current time. */
  readonly highWaterLagSeconds: number;
  /** Factor by which the call limits of the simulated KSeF are multiplied. A value of 0 disables the limits. */
  readonly limitFactor: number;
  readonly systemWarning: string | null;
}
