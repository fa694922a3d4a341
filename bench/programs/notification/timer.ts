const SAMPLE_MS = 3;
const WARM_UP_MS = 150;

/** Times a function over all inputs in turn, for some milliseconds per sample. Returns nanoseconds per call. */
export function timer<Input>(
  run: (input: Input) => unknown,
  inputs: readonly Input[],
): () => Promise<number> {
  let calls = 0;
  return async () => {
    calls ||= await warmUp(run, inputs);
    const start = process.hrtime.bigint();
    await repeat(run, inputs, calls);
    return Number(process.hrtime.bigint() - start) / calls;
  };
}

/** Warms up, and returns how many calls make one sample: a multiple of the number of inputs. */
async function warmUp<Input>(run: (input: Input) => unknown, inputs: readonly Input[]): Promise<number> {
  const start = performance.now();
  let calls = 0;
  while (performance.now() - start < WARM_UP_MS) {
    await repeat(run, inputs, inputs.length);
    calls += inputs.length;
  }
  return inputs.length * Math.max(1, Math.round((SAMPLE_MS * calls) / WARM_UP_MS / inputs.length));
}

async function repeat<Input>(run: (input: Input) => unknown, inputs: readonly Input[], calls: number) {
  for (let call = 0; call < calls; call += 1) {
    const result = run(inputs[call % inputs.length] as Input);
    // A synchronous function must not pay for an await.
    if (result instanceof Promise) await result;
  }
}
