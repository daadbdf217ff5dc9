import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { HiddenText } from '../reading.js';

type Matrix = readonly [number, number, number, number, number, number];

/** A rectangle in points of the page, from below. */
export interface Area {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

/** Text that was shown, and why a reader does not see it; null when it is visible. */
export interface ShownText extends Area {
  readonly text: string;
  readonly font: string;
  readonly hiddenBy: HiddenText['hiddenBy'] | 'COVERED' | null;
  /** Drawn on a rectangle that covers other text. */
  readonly isOverCover: boolean;
}

/** What the drawing operators of a page tell beside its text. */
export interface PageMarks {
  readonly shown: readonly ShownText[];
  /** The share of the page under its largest image. */
  readonly imageShare: number;
  /** How many paths are painted. */
  readonly drawings: number;
}

interface Graphics {
  matrix: Matrix;
  fill: string;
  /** False for what lets through what is below: highlights, shadows. */
  isOpaque: boolean;
  mode: number;
  font: string;
  size: number;
  charSpacing: number;
  wordSpacing: number;
  scale: number;
  rise: number;
  leading: number;
}

interface Fill extends Area {
  readonly order: number;
  readonly colour: string;
  /** A whole, opaque rectangle: it hides what it lies on. */
  readonly isCover: boolean;
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const INVISIBLE_MODES: ReadonlySet<number> = new Set([3, 7]);
const SIZE_MIN = 1;
/** Colours closer than this look alike, of 442 between black and white. */
const COLOUR_DISTANCE_MIN = 24;
const FILLS_MAX = 5_000;
const SHOWN_MAX = 50_000;
const FILL_OPERATORS: ReadonlySet<number> = new Set([
  OPS.fill,
  OPS.eoFill,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
]);
const IMAGE_OPERATORS: ReadonlySet<number> = new Set([
  OPS.paintImageXObject,
  OPS.paintInlineImageXObject,
  OPS.paintImageMaskXObject,
]);
/** The smallest rectangle that can cover text, in points. */
const COVER_HEIGHT_MIN = 3;
const COVER_WIDTH_MIN = 4;
const SCAN_SHARE = 0.5;
const OPACITY_MIN = 0.95;
/** A path of five points, each with its operator and two coordinates, and the end. */
const RECTANGLE_NUMBERS_MAX = 16;
/** A rectangle over most of the page is its background. */
const BACKGROUND_SHARE = 0.7;

/** Follows the operators of a page and notes what text is visible. */
export async function readPageMarks(page: PDFPageProxy): Promise<PageMarks> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const view = page.view as [number, number, number, number];
  const walk = new Walk(view);
  for (const [index, operator] of fnArray.entries()) walk.step(operator, argsArray[index] as unknown[], index);
  return walk.marks((font) => nameOfFont(page, font));
}

/** The name in the file; pdf.js numbers fonts. */
function nameOfFont(page: PDFPageProxy, font: string): string {
  const loaded: unknown = page.commonObjs.has(font) ? page.commonObjs.get(font) : undefined;
  return (loaded as { name?: string } | undefined)?.name ?? font;
}

class Walk {
  private readonly stack: Graphics[] = [];
  private graphics: Graphics = {
    matrix: IDENTITY,
    fill: '#000000',
    isOpaque: true,
    mode: 0,
    font: '',
    size: 0,
    charSpacing: 0,
    wordSpacing: 0,
    scale: 1,
    rise: 0,
    leading: 0,
  };
  private textMatrix: Matrix = IDENTITY;
  private x = 0;
  private y = 0;
  private lineX = 0;
  private lineY = 0;
  private readonly fills: Fill[] = [];
  private drawings = 0;
  private readonly images: (Area & { readonly order: number })[] = [];
  private readonly shown: (ShownText & { order: number })[] = [];

  private readonly view: readonly [number, number, number, number];

  constructor(view: readonly [number, number, number, number]) {
    this.view = view;
  }

  step(operator: number, args: readonly unknown[], order: number): void {
    const graphics = this.graphics;
    switch (operator) {
      case OPS.save:
        this.stack.push({ ...graphics });
        return;
      case OPS.restore:
        this.graphics = this.stack.pop() ?? graphics;
        return;
      case OPS.transform:
        graphics.matrix = multiply(graphics.matrix, args as unknown as Matrix);
        return;
      case OPS.paintFormXObjectBegin:
        this.stack.push({ ...graphics });
        if (args[0] !== null && args[0] !== undefined) {
          graphics.matrix = multiply(graphics.matrix, Array.from(args[0] as number[]) as unknown as Matrix);
        }
        return;
      case OPS.paintFormXObjectEnd:
        this.graphics = this.stack.pop() ?? graphics;
        return;
      case OPS.beginText:
        this.setTextMatrix(IDENTITY);
        return;
      case OPS.setTextMatrix: {
        const matrix = args.length === 1 ? (args[0] as number[]) : (args as number[]);
        this.setTextMatrix(Array.from(matrix) as unknown as Matrix);
        return;
      }
      case OPS.moveText:
        this.moveText(Number(args[0]), Number(args[1]));
        return;
      case OPS.setLeadingMoveText:
        graphics.leading = -Number(args[1]);
        this.moveText(Number(args[0]), Number(args[1]));
        return;
      case OPS.nextLine:
        this.moveText(0, -graphics.leading);
        return;
      case OPS.setLeading:
        graphics.leading = Number(args[0]);
        return;
      case OPS.setFont:
        graphics.font = String(args[0]);
        graphics.size = Number(args[1]);
        return;
      case OPS.setCharSpacing:
        graphics.charSpacing = Number(args[0]);
        return;
      case OPS.setWordSpacing:
        graphics.wordSpacing = Number(args[0]);
        return;
      case OPS.setHScale:
        graphics.scale = Number(args[0]) / 100;
        return;
      case OPS.setTextRise:
        graphics.rise = Number(args[0]);
        return;
      case OPS.setGState:
        this.setState(args[0] as readonly (readonly [key: string, value: unknown])[]);
        return;
      case OPS.setTextRenderingMode:
        graphics.mode = Number(args[0]);
        return;
      case OPS.setFillRGBColor:
        graphics.fill = String(args[0]);
        return;
      case OPS.setFillColorN:
      case OPS.shadingFill:
        // A pattern: nobody can say from here what it looks like.
        graphics.fill = '';
        return;
      case OPS.constructPath:
        this.path(args, order);
        return;
      case OPS.showText:
        this.showText(args[0] as readonly unknown[], order);
        return;
      default:
        if (IMAGE_OPERATORS.has(operator)) this.images.push({ ...areaOf(graphics.matrix, [0, 0, 1, 1]), order });
    }
  }

  marks(nameOf: (font: string) => string): PageMarks {
    const pageArea = Math.max(1, (this.view[2] - this.view[0]) * (this.view[3] - this.view[1]));
    const shares = this.images.map((image) => sizeOf(cut(image, this.view)) / pageArea);
    return {
      shown: this.shown.map(({ order, ...text }) =>
        this.withCover({ ...text, font: nameOf(text.font) }, order, pageArea),
      ),
      imageShare: shares.reduce((largest, share) => Math.max(largest, share), 0),
      drawings: this.drawings,
    };
  }

  private setTextMatrix(matrix: Matrix): void {
    this.textMatrix = matrix;
    this.x = this.lineX = 0;
    this.y = this.lineY = 0;
  }

  private moveText(x: number, y: number): void {
    this.x = this.lineX += x;
    this.y = this.lineY += y;
  }

  private setState(entries: readonly (readonly [key: string, value: unknown])[]): void {
    for (const [key, value] of entries) {
      if (key === 'ca') this.graphics.isOpaque = Number(value) >= OPACITY_MIN;
      if (key === 'BM' && value !== 'source-over') this.graphics.isOpaque = false;
    }
  }

  private path(args: readonly unknown[], order: number): void {
    const [operator, paths, bounds] = args as [number, readonly (ArrayLike<number> | null)[], ArrayLike<number> | null];
    this.drawings += 1;
    if (!FILL_OPERATORS.has(operator) || bounds === null || this.fills.length >= FILLS_MAX) return;
    const { matrix, fill, isOpaque } = this.graphics;
    const area = areaOf(matrix, [bounds[0] ?? 0, bounds[1] ?? 0, bounds[2] ?? 0, bounds[3] ?? 0]);
    if (area.top - area.bottom < COVER_HEIGHT_MIN || area.right - area.left < COVER_WIDTH_MIN) return;
    const isCover = isOpaque && fill !== '' && (paths[0]?.length ?? 0) <= RECTANGLE_NUMBERS_MAX;
    this.fills.push({ ...area, order, colour: fill, isCover });
  }

  private showText(glyphs: readonly unknown[], order: number): void {
    const { size, charSpacing, wordSpacing, scale, rise, matrix } = this.graphics;
    let text = '';
    let advance = 0;
    for (const glyph of glyphs) {
      if (typeof glyph === 'number') {
        advance -= (glyph * size) / 1000;
        continue;
      }
      const {
        unicode = '',
        width = 0,
        isSpace = false,
      } = (glyph ?? {}) as { unicode?: string; width?: number; isSpace?: boolean };
      text += unicode;
      advance += (width * size) / 1000 + charSpacing + (isSpace ? wordSpacing : 0);
    }
    const full = multiply(matrix, this.textMatrix);
    const area = areaOf(full, [this.x, this.y + rise, this.x + advance * scale, this.y + rise + size * 0.7]);
    this.x += advance * scale;
    if (text.trim() === '' || this.shown.length >= SHOWN_MAX) return;
    const height = Math.abs(size) * Math.hypot(full[2], full[3]);
    this.shown.push({
      ...area,
      text,
      font: this.graphics.font,
      hiddenBy: this.hiddenBy(area, height, order),
      isOverCover: false,
      order,
    });
  }

  private hiddenBy(area: Area, height: number, order: number): HiddenText['hiddenBy'] | null {
    if (INVISIBLE_MODES.has(this.graphics.mode)) return 'RENDER_MODE';
    if (height < SIZE_MIN) return 'SIZE';
    const [left, bottom, right, top] = this.view;
    if (area.right < left || area.left > right || area.top < bottom || area.bottom > top) return 'POSITION';
    if (this.images.some((image) => contains(image, centre(area)))) return null;
    const below = this.fills.findLast((fill) => fill.order < order && contains(fill, centre(area)));
    const background = below === undefined ? '#ffffff' : below.colour;
    return distance(this.graphics.fill, background) < COLOUR_DISTANCE_MIN ? 'COLOUR' : null;
  }

  /** Text that a later rectangle covers, and text on such a rectangle. */
  private withCover(text: ShownText, order: number, pageArea: number): ShownText {
    if (text.hiddenBy !== null) return text;
    const point = centre(text);
    // Text below the picture of a scan, as some programs write what OCR read.
    const isBelowPicture = this.images.some(
      (image) => image.order > order && sizeOf(image) > SCAN_SHARE * pageArea && contains(image, point),
    );
    if (isBelowPicture) return { ...text, hiddenBy: 'COVERED' };
    const cover = this.fills.find(
      (fill) =>
        fill.isCover && fill.order > order && contains(fill, point) && sizeOf(fill) < BACKGROUND_SHARE * pageArea,
    );
    if (cover !== undefined) return { ...text, hiddenBy: 'COVERED' };
    const ground = this.fills.findLast((fill) => fill.isCover && fill.order < order && contains(fill, point));
    if (ground === undefined) return text;
    const isOverCover = this.shown.some(
      (other) =>
        other.order < ground.order && other.hiddenBy === null && overlap(ground, other) && overlap(other, text),
    );
    return isOverCover ? { ...text, isOverCover } : text;
  }
}

function multiply(left: Matrix, right: Matrix): Matrix {
  return [
    left[0] * right[0] + left[2] * right[1],
    left[1] * right[0] + left[3] * right[1],
    left[0] * right[2] + left[2] * right[3],
    left[1] * right[2] + left[3] * right[3],
    left[0] * right[4] + left[2] * right[5] + left[4],
    left[1] * right[4] + left[3] * right[5] + left[5],
  ];
}

function areaOf(matrix: Matrix, [x1, y1, x2, y2]: readonly [number, number, number, number]): Area {
  const corners = [
    [x1, y1],
    [x2, y1],
    [x1, y2],
    [x2, y2],
  ].map(
    ([x = 0, y = 0]) => [matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]] as const,
  );
  return {
    left: Math.min(...corners.map(([x]) => x)),
    right: Math.max(...corners.map(([x]) => x)),
    bottom: Math.min(...corners.map(([, y]) => y)),
    top: Math.max(...corners.map(([, y]) => y)),
  };
}

function cut(area: Area, [left, bottom, right, top]: readonly [number, number, number, number]): Area {
  return {
    left: Math.max(area.left, left),
    bottom: Math.max(area.bottom, bottom),
    right: Math.min(area.right, right),
    top: Math.min(area.top, top),
  };
}

function sizeOf({ left, right, top, bottom }: Area): number {
  return Math.max(0, right - left) * Math.max(0, top - bottom);
}

function centre({ left, right, top, bottom }: Area): readonly [number, number] {
  return [(left + right) / 2, (top + bottom) / 2];
}

function contains(area: Area, [x, y]: readonly [number, number]): boolean {
  return area.left <= x && x <= area.right && area.bottom <= y && y <= area.top;
}

function overlap(one: Area, other: Area): boolean {
  return one.left < other.right && other.left < one.right && one.bottom < other.top && other.bottom < one.top;
}

/** Infinite for a colour that is not known. */
function distance(one: string, other: string): number {
  const [first, second] = [channels(one), channels(other)];
  if (first === undefined || second === undefined) return Infinity;
  return Math.hypot(...first.map((value, index) => value - (second[index] ?? 0)));
}

function channels(colour: string): number[] | undefined {
  const match = /^#(..)(..)(..)$/.exec(colour);
  return match === null ? undefined : match.slice(1).map((hex) => Number.parseInt(hex, 16));
}
