import type { Clock } from '@invoicecontrol/runtime/clock';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { PAGE_SIZE_MAX, readPageRequest } from '@invoicecontrol/runtime/page';
import { countFailedRegistration } from '../telemetry.js';
import type { Organizations } from './organizations.js';
import type { DailyTurn } from './purge-organizations.js';

/** Maximum number of organizations that are registered at the same time. */
const CONCURRENT_MAX = 8;
/** Time to wait before a failed registration of organizations with billing is retried. */
const RETRY_MS = 5 * 60_000;
/**
 * Number of failed registrations with the billing service at which a whole run of the registration job counts as
 * failed.
 */
export const FAILURES_MAX = 100;

/** A service, such as billing, that must know which organizations exist. */
export interface OrganizationRegister {
  /** Registers an organization with the billing service. The call may be repeated. */
  register(organizationId: string, context: RequestContext): Promise<void>;
}

interface Deps {
  readonly organizations: Pick<Organizations, 'listAll'>;
  readonly register: OrganizationRegister;
  readonly turn: DailyTurn;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Registers every organization that is neither deleted nor a test organization with the billing service once a day.
 * Without the job, the billing service would not know organizations that were created before it received their events
 * (ADR 0094).
 */
export const registerOrganizations =
  ({ organizations, register, turn, clock, logger }: Deps) =>
  async (signal: AbortSignal): Promise<void> => {
    if (!(await turn.take(clock.now()))) return;
    const context = systemContext('register-organizations');
    let failed = 0;
    const tell = async (organizationId: string): Promise<void> => {
      try {
        await register.register(organizationId, context);
      } catch (error) {
        failed++;
        countFailedRegistration();
        logger.warn({ error, organizationId }, 'an organization could not be registered with billing');
      }
    };
    try {
      for (let pageToken = ''; ;) {
        const page = await organizations.listAll(readPageRequest({ pageSize: PAGE_SIZE_MAX, pageToken }));
        const ids = page.items.flatMap(({ id, deletion, testOf }) =>
          deletion === undefined && testOf === undefined ? [id] : [],
        );
        const next = async (): Promise<void> => {
          for (let id = ids.shift(); id !== undefined && !signal.aborted && failed <= FAILURES_MAX; id = ids.shift()) {
            await tell(id);
          }
        };
        await Promise.all(Array.from({ length: CONCURRENT_MAX }, next));
        if (signal.aborted)
          throw new Error('The service stopped before every organization was registered with the billing service.');
        if (failed > FAILURES_MAX || (failed > 0 && page.nextPageToken === '')) {
          throw new Error(
            `Not every organization could be registered with the billing service: the registration of ${failed} failed.`,
          );
        }
        if (page.nextPageToken === '') return;
        pageToken = page.nextPageToken;
      }
    } catch (error) {
      await turn.moveTo(new Date(clock.now().getTime() + RETRY_MS));
      throw error;
    }
  };
