/** Called in a program: the `input` that was passed to `runProgram` or `startProgram`. */
export function programInput<Input>(): Input {
  return JSON.parse(process.argv[2] ?? 'null');
}
