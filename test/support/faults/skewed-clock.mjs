// Loaded before a program: its time of day is ahead by MILLRACE_TEST_SKEW_MS, as on a machine whose clock is wrong.
const skewMs = Number(process.env['MILLRACE_TEST_SKEW_MS'] ?? 0);
const Real = Date;

globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + skewMs);
    else super(...given);
  }

  static now() {
    return Real.now() + skewMs;
  }
};
