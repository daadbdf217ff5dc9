import type { Clock } from '@invoicecontrol/runtime/clock';
import { minuteOf } from './usage-counter.js';
import type { UsageDocument, UsageMark } from './usage-counter.js';
import { nextStepAt } from './usage-steps.js';

/** Maximum number of quota units that a replica reserves in advance. */
export const BLOCK_UNITS_MAX = 100;
/**
 * A block of quota units may have one unit for each twenty units that remain until the quota limit or the next notice.
 * Blocks are therefore small near the limit.
 */
export const UNITS_LEFT_PER_BLOCK_UNIT = 20;
/** Time after which the unused quota units of a block are returned. */
export const BLOCK_MS_MAX = 2_000;

/** Units of one usage counter and minute that this process has reserved in advance (ADR 0132). */
interface Block {
  /** Month and quota that the block of quota units belongs to. */
  readonly mark: UsageMark;
  /** Number of quota units in the block that no request uses yet. */
  unused: number;
  /** Number of units in the block that requests use, although the usage counter still lists them as held. */
  unreported: number;
  /** Limit of a monthly quota, as the latest request stated it. */
  limit: number | undefined;
  /**
   * Used amount of the usage counter after the latest reservation, including all held units. Undefined before the first
   * reservation.
   */
  used: number | undefined;
  /** Time at which the latest reservation of the block of quota units was sent. */
  reservedAt: Date;
  /** Reservations in progress that may add quota units to the block. */
  readonly reserving: Set<Promise<unknown>>;
  /** Timer that ends the block of quota units. */
  timer: NodeJS.Timeout | undefined;
}

export interface UnitBlocks {
  /**
   * Uses one of the quota units that this process holds for the meter and the minute of a usage mark, without a
   * database command.
   * @returns false if this process holds no such unit, or if the limit no longer allows its use
   */
  use(mark: UsageMark, limit: number | undefined): boolean;
  /**
   * Returns the used amount of the usage counter after the latest reservation in the minute of a usage mark. Undefined
   * unless this process made a reservation a moment ago and has used up its block. Only then may the next reservation
   * open another block.
   */
  usedBefore(mark: UsageMark): number | undefined;
  /**
   * Reserves quota units of a meter in the minute of a usage mark (organization, meter and time), and holds the units
   * that it reserves in advance.
   * @param reserve changes the usage counter, and adds the given number to the units that the counter lists as held
   */
  reserve(
    mark: UsageMark,
    limit: number | undefined,
    inAdvance: number,
    reserve: (held: number) => Promise<UsageDocument | undefined>,
  ): Promise<UsageDocument | undefined>;
  /**
   * Ends the blocks of a usage counter, and waits until the unused units of the blocks are returned.
   * @returns false if this process held no units of the usage counter
   */
  end(mark: Pick<UsageMark, 'organizationId' | 'month' | 'meter'>): Promise<boolean>;
  /** Ends all blocks of quota units and returns their unused units. */
  close(): Promise<void>;
}

/**
 * Returns how many quota units a block reserves in addition to the amount that is needed now. A block never reserves up
 * to the used amount at which the next notice is sent, so that the notice is sent when the unit that reaches this
 * amount is used.
 * @param used used amount of the usage counter before the reservation
 */
export function unitsInAdvance(used: number, amount: number, limit: number | undefined): number {
  const left = limit === undefined ? Number.POSITIVE_INFINITY : nextStepAt(used, limit) - used - amount;
  return Math.max(0, Math.min(BLOCK_UNITS_MAX, Math.floor(left / UNITS_LEFT_PER_BLOCK_UNIT)));
}

/**
 * Creates the store of the blocks of quota units that this process holds.
 * @param endBlock reports the used units of a block and returns the unused ones to the usage counter. It resolves to
 * the counter, or to undefined if the counter no longer lists the block. If it fails, the error is ignored, because the
 * reconciliation job returns the units, as it does for a process that crashed.
 */
export function unitBlocks(
  clock: Clock,
  endBlock: (block: Pick<Block, 'mark' | 'unused' | 'unreported' | 'limit'>) => Promise<UsageDocument | undefined>,
): UnitBlocks {
  const blocks = new Map<string, Block>();
  /** Blocks of quota units that are ending. Each promise states whether the block held units. */
  const ending = new Map<Block, Promise<boolean>>();

  /**
   * Ends the block of quota units. Resolves to false if the block held no units. Later requests open another block at
   * once.
   */
  const returnUnits = async (block: Block): Promise<boolean> => {
    await Promise.allSettled(block.reserving);
    if (block.unused + block.unreported === 0) return false;
    const isInUse = block.unreported > 0;
    const counter = await endBlock(block);
    // If all units of a block were in use and one is returned, the block is opened again for the next request.
    if (isInUse && counter !== undefined && !blocks.has(keyOf(block.mark))) {
      open(block.mark, block.limit).used = counter.used;
    }
    return true;
  };
  const end = (block: Block): void => {
    blocks.delete(keyOf(block.mark));
    clearTimeout(block.timer);
    const ended = returnUnits(block).catch(() => true);
    ending.set(
      block,
      ended.finally(() => ending.delete(block)),
    );
  };
  const restartTimer = (block: Block): void => {
    clearTimeout(block.timer);
    block.timer = setTimeout(end, BLOCK_MS_MAX, block);
    block.timer.unref();
  };
  const open = (mark: UsageMark, limit: number | undefined): Block => {
    const block: Block = {
      mark,
      unused: 0,
      unreported: 0,
      limit,
      used: undefined,
      reservedAt: clock.now(),
      reserving: new Set(),
      timer: undefined,
    };
    blocks.set(keyOf(mark), block);
    restartTimer(block);
    return block;
  };
  /**
   * Returns the block of quota units for the minute of a usage mark. The function ends the block instead if the block
   * is too old, or seems to begin in the future because the clock was set back.
   */
  const current = (mark: UsageMark): Block | undefined => {
    const block = blocks.get(keyOf(mark));
    if (block === undefined) return undefined;
    const ageMs = clock.now().getTime() - block.reservedAt.getTime();
    if (ageMs >= 0 && ageMs < BLOCK_MS_MAX) return block;
    end(block);
    return undefined;
  };
  return {
    use(mark, limit) {
      const block = mark.amount === 1 ? current(mark) : undefined;
      if (block === undefined || block.unused === 0) return false;
      if (limit !== undefined && (block.used ?? 0) > limit) {
        // If the limit of the quota was lowered, the units of the block may exceed the new limit, so the block ends.
        end(block);
        return false;
      }
      block.unused--;
      block.unreported++;
      block.limit = limit;
      return true;
    },
    usedBefore(mark) {
      const block = current(mark);
      return block?.unused === 0 ? block.used : undefined;
    },
    async reserve(mark, limit, inAdvance, reserve) {
      const block = current(mark) ?? open(mark, limit);
      const reservedAt = clock.now();
      const reported = block.unreported;
      block.unreported = 0;
      const reserving = (async () => {
        const counter = await reserve(inAdvance - reported);
        if (counter === undefined) {
          block.unreported += reported;
          return undefined;
        }
        block.unused += inAdvance;
        block.used = counter.used;
        block.limit = limit;
        block.reservedAt = reservedAt;
        if (blocks.get(keyOf(mark)) === block) restartTimer(block);
        return counter;
      })();
      block.reserving.add(reserving);
      try {
        return await reserving;
      } finally {
        block.reserving.delete(reserving);
      }
    },
    async end(mark) {
      const isOfCounter = ({ mark: own }: Block): boolean =>
        own.organizationId === mark.organizationId && own.month === mark.month && own.meter === mark.meter;
      for (const block of blocks.values()) {
        if (isOfCounter(block) && block.unused + block.unreported + block.reserving.size > 0) end(block);
      }
      const ended = await Promise.all([...ending].flatMap(([block, held]) => (isOfCounter(block) ? [held] : [])));
      return ended.includes(true);
    },
    async close() {
      for (const block of blocks.values()) end(block);
      await Promise.all(ending.values());
    },
  };
}

function keyOf({ organizationId, month, meter, at }: UsageMark): string {
  return `${organizationId}:${month}:${meter}:${minuteOf(at)}`;
}
