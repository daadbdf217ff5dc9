import type { Methods } from '@invoicecontrol/contracts/definition';
import type { OperatorServiceDefinition as AnalysisOperator } from '@invoicecontrol/contracts/analysis/v1/operator_service';
import type { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';

/** An option of a command. */
export interface CommandOption {
  /** The placeholder of the value in the help: `NAME`. Absent: a switch. */
  readonly value?: string;
  readonly description: string;
  readonly isRequired?: true;
}

/** The result of a command. */
export interface Outcome {
  /** The only output with --json. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Printed without --json, before the values. */
  readonly sentence: string;
  readonly values?: Readonly<Record<string, string>>;
  /** A remark about the values, for example that a key is shown once. */
  readonly note?: string;
}

/** The running system as the operator sees it. */
export interface Operator {
  readonly rpc: Methods<typeof OperatorServiceDefinition, CallOptions>;
  readonly analysis: Methods<typeof AnalysisOperator, CallOptions>;
  readonly call: CallOptions;
}

/** The service that a command calls. */
export type AskedService = 'organization' | 'analysis';

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly service: AskedService;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** @param given the values of the given options, '' for a switch; required ones are present */
  run(operator: Operator, given: Readonly<Record<string, string | undefined>>): Promise<Outcome>;
}

/** A wrong command line; the message says what to change. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

export const organizationOption: CommandOption = {
  value: 'ID',
  description: 'the id of the organization',
  isRequired: true,
};

export const roleOption: CommandOption = {
  value: 'ROLE',
  description: 'VIEWER, ANALYST, ADMIN or OWNER',
  isRequired: true,
};

export const KEY_NOTE = 'The key is shown only once.';
