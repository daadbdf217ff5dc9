import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The PDFium library, compiled to a WebAssembly module. */
type Program = object;
/** A running instance of the PDFium program. Its exports are the functions of PDFium. */
interface Instance {
  readonly exports: object;
}
/**
 * Declares the functions of WebAssembly that loading PDFium uses. TypeScript declares them only together with the types
 * of browsers, which this repository does not load.
 */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<Program>;
  readonly Instance: new (program: Program, imports: object) => Instance;
};

/** Starts an instance of the PDFium program with separate memory. PDFium accepts this function as `instantiateWasm`. */
type Instantiate = (imports: object, started: (instance: Instance, program: Program) => void) => object;

const FILE = createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm');
let compiled: Promise<Program> | undefined;

/**
 * Compiles PDFium at its first use and once per process. Reading and compiling the program for each instance would take
 * 25 ms of CPU time.
 */
export async function pdfiumProgram(): Promise<Instantiate> {
  compiled ??= readFile(FILE).then((bytes) => WebAssembly.compile(bytes));
  try {
    const program = await compiled;
    return (imports, started) => {
      const instance = new WebAssembly.Instance(program, imports);
      started(instance, program);
      return instance.exports;
    };
  } catch (error) {
    // If compiling PDFium failed, the next instance compiles it again.
    compiled = undefined;
    throw error;
  }
}
