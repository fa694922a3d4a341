/** What `runProgram` or `startProgram` was given as `input`, in the program itself. */
export function programInput<Input>(): Input {
  return JSON.parse(process.argv[2] ?? 'null');
}
