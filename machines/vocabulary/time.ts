/** The longest a timer can be set for, in milliseconds; a longer one would fire at once. */
export const LONGEST_TIMER = 2_147_483_647;
