import type { Methods } from '@invoicecontrol/contracts/definition';
import type { AnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/analysis_service';
import type { PolicyServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/policy_service';
import type { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';

/** An option of a command. */
export interface CommandOption {
  /** What stands for the value in the help: `NAME`. Absent: a switch. */
  readonly value?: string;
  readonly description: string;
  readonly isRequired?: true;
}

/** What a command has done. */
export interface Outcome {
  /** Printed with --json, and nothing else with it. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Printed for people: a sentence, then named values. */
  readonly sentence: string;
  readonly values?: Readonly<Record<string, string>>;
  /** What to know about the values; a key that is shown once, for example. */
  readonly note?: string;
}

/** The running system as the operator sees it. */
export interface Operator {
  readonly rpc: Methods<typeof OperatorServiceDefinition, CallOptions>;
  readonly analysis: Methods<typeof AnalysisServiceDefinition, CallOptions>;
  readonly policies: Methods<typeof PolicyServiceDefinition, CallOptions>;
  readonly call: CallOptions;
}

/** The service that a command asks. */
export type AskedService = 'organization' | 'analysis';

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly service: AskedService;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** @param given the values of the options that were given, '' for a switch; required ones are there */
  run(operator: Operator, given: Readonly<Record<string, string | undefined>>): Promise<Outcome>;
}

/** The command line was not understood; the message says what to write instead. */
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

export const KEY_NOTE = 'The key is shown here and never again.';
