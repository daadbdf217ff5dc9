import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { HiddenText } from '../reading.js';
import { paintedArea } from './filled-path.js';
import type { PaintedArea } from './filled-path.js';

type Matrix = readonly [number, number, number, number, number, number];

/** A rectangle in points of the document page, measured from the bottom. */
export interface Area {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

/**
 * Text that the document page draws, and the reason why a reader does not see it. The reason is null for visible text.
 */
export interface ShownText extends Area {
  readonly text: string;
  readonly font: string;
  readonly hiddenBy: HiddenText['hiddenBy'] | 'COVERED' | null;
  /** True if the visible text is drawn on a rectangle or an image that covers other text. */
  readonly isOverCover: boolean;
  /**
   * True for a comment, a stamp or the value of a form field, which is drawn on the document page without being part of
   * its content.
   */
  readonly isAnnotation: boolean;
}

/** Facts from the drawing operators of a document page, in addition to its text. */
export interface PageMarks {
  readonly shown: readonly ShownText[];
  /** True if digits are below an image that is smaller than the document page. */
  readonly hasFiguresUnderPicture: boolean;
  /** Share of the document page that its largest image covers. */
  readonly imageShare: number;
  /** True if a font of the PDF shows other digits than programs extract. */
  readonly hasRemappedDigits: boolean;
  /** Areas of the document page that may contain a drawn payment code. */
  readonly codeAreas: readonly Area[];
  /** Number of paths that are painted on the document page. */
  readonly drawings: number;
}

interface Graphics {
  matrix: Matrix;
  fill: string;
  /**
   * True if the painted area hides the content of the page below it. False, for example, for highlights and shadows.
   */
  isOpaque: boolean;
  isInvisible: boolean;
  /** Area of the document page outside of which nothing is painted. Null if the area is the whole page. */
  clip: Area | null;
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
  /** True if the path on a PDF page is a complete, opaque rectangle, which hides the content below it. */
  readonly isCover: boolean;
  /** The area within its bounds that a path paints on a PDF page. Absent if the path fills its bounding box. */
  readonly painted?: PaintedArea;
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const INVISIBLE_MODES: ReadonlySet<number> = new Set([3, 7]);
/** Text rendering modes of a PDF that show the colour of the outline, which the code in this file does not track. */
const OUTLINE_MODES: ReadonlySet<number> = new Set([1, 2, 5, 6]);
const SIZE_MIN = 1;
/** Minimum distance of two colours on a page that look different. Black and white have a distance of 442. */
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
const EVEN_ODD_OPERATORS: ReadonlySet<number> = new Set([OPS.eoFill, OPS.eoFillStroke, OPS.closeEOFillStroke]);
const IMAGE_OPERATORS: ReadonlySet<number> = new Set([
  OPS.paintImageXObject,
  OPS.paintInlineImageXObject,
  OPS.paintImageMaskXObject,
]);
/** Height in points of the smallest rectangle that can cover text of a PDF page. */
const COVER_HEIGHT_MIN = 3;
const COVER_WIDTH_MIN = 4;
/** Side lengths of a payment code in points, which are 15 to 80 mm. */
const CODE_SIDE_MIN = 42;
const CODE_SIDE_MAX = 230;
const CODE_DOT_MAX = 8;
/** Minimum number of dark squares of a drawn QR code. Even the smallest QR code has more dark squares. */
const CODE_DOTS_MIN = 60;
const CODE_PATH_MIN = 600;
const CODES_MAX = 6;
const SCAN_SHARE = 0.5;
const DIGIT_NAMES = 'zero one two three four five six seven eight nine'.split(' ');
const OPACITY_MIN = 0.95;
const OPACITY_VISIBLE_MIN = 0.05;
/** Number of points by which letters on a PDF page may extend beyond their clip area. */
const CLIP_MARGIN = 2;
/** Kinds of images without transparency, as pdf.js numbers them. */
const OPAQUE_IMAGE_KINDS: ReadonlySet<unknown> = new Set([1, 2]);
/**
 * Maximum length of a rectangle's path in a PDF: five points, each with its operator and two coordinates, and the end.
 */
const RECTANGLE_NUMBERS_MAX = 16;
/** Minimum share of the document page that a rectangle covers to count as the background of the page. */
const BACKGROUND_SHARE = 0.7;

/** Layers of the PDF file that a reader may show or hide (optional content). */
export type Layers = Awaited<ReturnType<PDFDocumentProxy['getOptionalContentConfig']>>;

/** Processes the drawing operators of a document page and determines which text is visible. */
export async function readPageMarks(page: PDFPageProxy, layers: Layers): Promise<PageMarks> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const view = page.view as [number, number, number, number];
  const walk = new Walk(view, {
    isLayerShown: (layer) => layers.isVisible(layer as never),
    digitShown: (font, code) => digitShown(fontOf(page, font), code),
    hasDrawnGlyphs: (font) => fontOf(page, font).isType3Font === true,
    isOpaqueImage: (image) => isOpaqueImage(page, image),
  });
  for (const [index, operator] of fnArray.entries()) walk.step(operator, argsArray[index] as unknown[], index);
  return walk.marks((font) => fontOf(page, font).name ?? font);
}

/** Font of a PDF, in the form in which pdf.js represents it. */
interface LoadedFont {
  /** Name of the font in the PDF. pdf.js itself identifies fonts by numbers. */
  readonly name?: string;
  readonly isType3Font?: boolean;
  readonly composite?: boolean;
  readonly isSymbolicFont?: boolean;
  /** Names of the glyphs of the PDF font by character code. */
  readonly differences?: readonly (string | undefined)[];
  readonly defaultEncoding?: readonly (string | undefined)[];
}

function fontOf(page: PDFPageProxy, font: string): LoadedFont {
  const loaded: unknown = page.commonObjs.has(font) ? page.commonObjs.get(font) : undefined;
  return (loaded ?? {}) as LoadedFont;
}

/**
 * Returns the digit that a reader sees for a character of a PDF, by the standard name of its glyph. Undefined if it is
 * unknown.
 */
function digitShown(font: LoadedFont, code: number): string | undefined {
  if (font.composite === true || font.isSymbolicFont === true || font.isType3Font === true) return undefined;
  const digit = DIGIT_NAMES.indexOf(font.differences?.[code] ?? font.defaultEncoding?.[code] ?? '');
  return digit < 0 ? undefined : String(digit);
}

/**
 * Checks whether an image on a PDF page is opaque. An image that is not decoded yet counts as transparent, because the
 * text below it may be visible.
 */
function isOpaqueImage(page: PDFPageProxy, image: string): boolean {
  const objects = image.startsWith('g_') ? page.commonObjs : page.objs;
  const decoded: unknown = objects.has(image) ? objects.get(image) : undefined;
  return OPAQUE_IMAGE_KINDS.has((decoded as { kind?: unknown } | undefined)?.kind);
}

/** Functions that look up objects of the PDF file while a page is processed. */
interface Lookups {
  readonly isLayerShown: (layer: unknown) => boolean;
  readonly digitShown: (font: string, code: number) => string | undefined;
  /** Checks whether a font of the PDF is a Type 3 font, whose size does not show the size of its letters. */
  readonly hasDrawnGlyphs: (font: string) => boolean;
  readonly isOpaqueImage: (image: string) => boolean;
}

interface PlacedImage extends Area {
  readonly order: number;
  readonly isOpaque: boolean;
}

function initialGraphics(): Graphics {
  return {
    matrix: IDENTITY,
    fill: '#000000',
    isOpaque: true,
    isInvisible: false,
    clip: null,
    mode: 0,
    font: '',
    size: 0,
    charSpacing: 0,
    wordSpacing: 0,
    scale: 1,
    rise: 0,
    leading: 0,
  };
}

class Walk {
  private readonly stack: Graphics[] = [];
  private graphics = initialGraphics();
  private textMatrix: Matrix = IDENTITY;
  private x = 0;
  private y = 0;
  private lineX = 0;
  private lineY = 0;
  private readonly fills: Fill[] = [];
  private drawings = 0;
  /** Small filled paths on a PDF page that may be squares of a drawn code, at most `FILLS_MAX` of them. */
  private readonly dots: Area[] = [];
  /** Filled paths on a PDF page that have so many points that each path may be a whole drawn code. */
  private readonly drawnCodes: Area[] = [];
  private readonly images: PlacedImage[] = [];
  /** One entry for each open section of marked content on a PDF page, true if the layer of the section is hidden. */
  private readonly layers: boolean[] = [];
  private isAnnotation = false;
  private isClipPending = false;
  private hasRemappedDigits = false;
  private readonly shown: (ShownText & { order: number })[] = [];

  private readonly view: readonly [number, number, number, number];
  private readonly lookups: Lookups;

  constructor(view: readonly [number, number, number, number], lookups: Lookups) {
    this.view = view;
    this.lookups = lookups;
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
      case OPS.beginAnnotation: {
        const [, , transform, matrix] = args as [unknown, unknown, number[], number[]];
        this.stack.push({ ...graphics });
        this.graphics = initialGraphics();
        this.graphics.matrix = multiply(transform as unknown as Matrix, matrix as unknown as Matrix);
        this.isAnnotation = true;
        return;
      }
      case OPS.endAnnotation:
        this.graphics = this.stack.pop() ?? graphics;
        this.isAnnotation = false;
        return;
      case OPS.beginMarkedContent:
        this.layers.push(false);
        return;
      case OPS.beginMarkedContentProps:
        this.layers.push(args[0] === 'OC' && !this.lookups.isLayerShown(args[1]));
        return;
      case OPS.endMarkedContent:
        this.layers.pop();
        return;
      case OPS.clip:
      case OPS.eoClip:
        this.isClipPending = true;
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
        // The fill colour of the PDF page is a pattern, whose appearance is unknown here.
        graphics.fill = '';
        return;
      case OPS.constructPath:
        this.path(args, order);
        return;
      case OPS.showText:
        this.showText(args[0] as readonly unknown[], order);
        return;
      default:
        if (IMAGE_OPERATORS.has(operator)) this.image(operator, args, order);
    }
  }

  marks(nameOf: (font: string) => string): PageMarks {
    const pageArea = Math.max(1, (this.view[2] - this.view[0]) * (this.view[3] - this.view[1]));
    const shares = this.images.map((image) => sizeOf(cut(image, this.view)) / pageArea);
    return {
      shown: this.shown.map(({ order, ...text }) =>
        this.withCover({ ...text, font: nameOf(text.font) }, order, pageArea),
      ),
      hasFiguresUnderPicture: this.shown.some(
        (text) => text.hiddenBy === null && /\d{2}/.test(text.text) && this.pictureOver(text, text.order, pageArea),
      ),
      imageShare: shares.reduce((largest, share) => Math.max(largest, share), 0),
      hasRemappedDigits: this.hasRemappedDigits,
      codeAreas: this.codeAreas(),
      drawings: this.drawings,
    };
  }

  /**
   * Returns images and dense drawings of a PDF page that have the form and size of a code. Many small squares together
   * are one drawing.
   */
  private codeAreas(): Area[] {
    const drawn = this.dots.length < CODE_DOTS_MIN ? [] : [around(this.dots)];
    return [...this.images, ...this.drawnCodes, ...drawn].filter(isSquareOfCode).slice(0, CODES_MAX);
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
      if (key === 'ca') {
        this.graphics.isOpaque = Number(value) >= OPACITY_MIN;
        this.graphics.isInvisible = Number(value) < OPACITY_VISIBLE_MIN;
      }
      if (key === 'Font') [this.graphics.font, this.graphics.size] = value as [string, number];
      if (key === 'BM' && value !== 'source-over') this.graphics.isOpaque = false;
    }
  }

  private path(args: readonly unknown[], order: number): void {
    const [operator, paths, bounds] = args as [number, readonly (ArrayLike<number> | null)[], ArrayLike<number> | null];
    this.drawings += 1;
    if (this.isClipPending) this.clip(bounds);
    if (this.isHiddenLayer()) return;
    if (!FILL_OPERATORS.has(operator) || bounds === null || this.fills.length >= FILLS_MAX) return;
    const { matrix, fill, isOpaque } = this.graphics;
    const area = areaOf(matrix, [bounds[0] ?? 0, bounds[1] ?? 0, bounds[2] ?? 0, bounds[3] ?? 0]);
    const isDot = area.top - area.bottom < CODE_DOT_MAX && area.right - area.left < CODE_SIDE_MAX;
    if (isDot && this.dots.length < FILLS_MAX) this.dots.push(area);
    if ((paths[0]?.length ?? 0) > CODE_PATH_MIN && this.drawnCodes.length < CODES_MAX) this.drawnCodes.push(area);
    if (area.top - area.bottom < COVER_HEIGHT_MIN || area.right - area.left < COVER_WIDTH_MIN) return;
    const isRectangle = (paths[0]?.length ?? 0) <= RECTANGLE_NUMBERS_MAX;
    const painted = isRectangle
      ? undefined
      : paintedArea(paths[0] ?? [], EVEN_ODD_OPERATORS.has(operator), (x, y) => placed(matrix, x, y));
    const isCover = isOpaque && fill !== '' && isRectangle;
    this.fills.push({ ...area, order, colour: fill, isCover, ...(painted && { painted }) });
  }

  /**
   * Restricts the clip area to the bounds of a path. If the path is no rectangle, more text counts as visible than the
   * document page shows.
   */
  private clip(bounds: ArrayLike<number> | null): void {
    this.isClipPending = false;
    if (bounds === null) return;
    const { matrix, clip } = this.graphics;
    const area = areaOf(matrix, [bounds[0] ?? 0, bounds[1] ?? 0, bounds[2] ?? 0, bounds[3] ?? 0]);
    this.graphics.clip = clip === null ? area : cut(area, [clip.left, clip.bottom, clip.right, clip.top]);
  }

  private image(operator: number, args: readonly unknown[], order: number): void {
    if (this.isHiddenLayer()) return;
    const { matrix, isOpaque } = this.graphics;
    const isWhole = operator === OPS.paintImageXObject && isOpaque && this.lookups.isOpaqueImage(String(args[0]));
    this.images.push({ ...areaOf(matrix, [0, 0, 1, 1]), order, isOpaque: isWhole });
  }

  private isRemappedDigit(code: number, unicode: string): boolean {
    const shown = this.lookups.digitShown(this.graphics.font, code);
    return shown !== undefined && /^[0-9A-Za-z]$/.test(unicode) && shown !== unicode;
  }

  private isHiddenLayer(): boolean {
    return this.layers.includes(true);
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
        originalCharCode = -1,
      } = (glyph ?? {}) as { unicode?: string; width?: number; isSpace?: boolean; originalCharCode?: number };
      text += unicode;
      this.hasRemappedDigits ||= this.isRemappedDigit(originalCharCode, unicode);
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
      isAnnotation: this.isAnnotation,
      order,
    });
  }

  private hiddenBy(area: Area, height: number, order: number): HiddenText['hiddenBy'] | null {
    const { mode, font, clip, isInvisible, fill: colour } = this.graphics;
    if (this.isHiddenLayer()) return 'LAYER';
    if (INVISIBLE_MODES.has(mode)) return 'RENDER_MODE';
    if (height < SIZE_MIN && !this.lookups.hasDrawnGlyphs(font)) return 'SIZE';
    const [left, bottom, right, top] = this.view;
    if (area.right < left || area.left > right || area.top < bottom || area.bottom > top) return 'POSITION';
    if (clip !== null && !contains(grown(clip, CLIP_MARGIN), centre(area))) return 'POSITION';
    if (isInvisible) return 'COLOUR';
    if (OUTLINE_MODES.has(mode)) return null;
    if (this.images.some((image) => contains(image, centre(area)))) return null;
    const point = centre(area);
    const below = this.fills.findLast(
      (fill) => fill.order < order && contains(fill, point) && (fill.painted?.(point) ?? true),
    );
    const background = below === undefined ? '#ffffff' : below.colour;
    return distance(colour, background) < COLOUR_DISTANCE_MIN ? 'COLOUR' : null;
  }

  /** Checks whether a later image, smaller than the document page, hides the text completely. */
  private pictureOver(text: Area, order: number, pageArea: number): boolean {
    return this.images.some(
      (image) =>
        image.isOpaque &&
        image.order > order &&
        sizeOf(image) <= SCAN_SHARE * pageArea &&
        contains(image, centre(text)) &&
        image.bottom <= text.bottom + 1 &&
        image.top >= text.top - 1,
    );
  }

  /**
   * Returns a text of the page with a mark if a later rectangle or image covers it, or if it is printed on a rectangle
   * that covers other text.
   */
  private withCover(text: ShownText, order: number, pageArea: number): ShownText {
    if (text.hiddenBy !== null) return text;
    const point = centre(text);
    // Some scanning programs write the recognized text below the image of the page.
    const isBelowPicture = this.images.some(
      (image) => image.order > order && sizeOf(image) > SCAN_SHARE * pageArea && contains(image, point),
    );
    if (isBelowPicture || this.pictureOver(text, order, pageArea)) return { ...text, hiddenBy: 'COVERED' };
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

function grown({ left, bottom, right, top }: Area, by: number): Area {
  return { left: left - by, bottom: bottom - by, right: right + by, top: top + by };
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

function placed(matrix: Matrix, x: number, y: number): readonly [number, number] {
  return [matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]];
}

function areaOf(matrix: Matrix, [x1, y1, x2, y2]: readonly [number, number, number, number]): Area {
  const corners = [
    [x1, y1],
    [x2, y1],
    [x1, y2],
    [x2, y2],
  ].map(([x = 0, y = 0]) => placed(matrix, x, y));
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

function around(areas: readonly Area[]): Area {
  return {
    left: areas.reduce((least, { left }) => Math.min(least, left), Infinity),
    bottom: areas.reduce((least, { bottom }) => Math.min(least, bottom), Infinity),
    right: areas.reduce((most, { right }) => Math.max(most, right), -Infinity),
    top: areas.reduce((most, { top }) => Math.max(most, top), -Infinity),
  };
}

function isSquareOfCode({ left, bottom, right, top }: Area): boolean {
  const [width, height] = [right - left, top - bottom];
  const isSquare = width > 0.9 * height && width < 1.1 * height;
  return isSquare && width >= CODE_SIDE_MIN && width <= CODE_SIDE_MAX;
}

function contains(area: Area, [x, y]: readonly [number, number]): boolean {
  return area.left <= x && x <= area.right && area.bottom <= y && y <= area.top;
}

function overlap(one: Area, other: Area): boolean {
  return one.left < other.right && other.left < one.right && one.bottom < other.top && other.bottom < one.top;
}

/** Returns the distance of two colours on a page. Infinity if one of them is unknown. */
function distance(one: string, other: string): number {
  const [first, second] = [channels(one), channels(other)];
  if (first === undefined || second === undefined) return Infinity;
  return Math.hypot(...first.map((value, index) => value - (second[index] ?? 0)));
}

function channels(colour: string): number[] | undefined {
  const match = /^#(..)(..)(..)$/.exec(colour);
  return match === null ? undefined : match.slice(1).map((hex) => Number.parseInt(hex, 16));
}
