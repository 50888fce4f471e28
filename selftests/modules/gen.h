/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GEN(h, l) for all pairs of octal digits. Has no include guard: it gets
 * included once to define functions and once to name them.
 */
GEN(0, 0) GEN(0, 1) GEN(0, 2) GEN(0, 3) GEN(0, 4) GEN(0, 5) GEN(0, 6) GEN(0, 7)
GEN(1, 0) GEN(1, 1) GEN(1, 2) GEN(1, 3) GEN(1, 4) GEN(1, 5) GEN(1, 6) GEN(1, 7)
GEN(2, 0) GEN(2, 1) GEN(2, 2) GEN(2, 3) GEN(2, 4) GEN(2, 5) GEN(2, 6) GEN(2, 7)
GEN(3, 0) GEN(3, 1) GEN(3, 2) GEN(3, 3) GEN(3, 4) GEN(3, 5) GEN(3, 6) GEN(3, 7)
GEN(4, 0) GEN(4, 1) GEN(4, 2) GEN(4, 3) GEN(4, 4) GEN(4, 5) GEN(4, 6) GEN(4, 7)
GEN(5, 0) GEN(5, 1) GEN(5, 2) GEN(5, 3) GEN(5, 4) GEN(5, 5) GEN(5, 6) GEN(5, 7)
GEN(6, 0) GEN(6, 1) GEN(6, 2) GEN(6, 3) GEN(6, 4) GEN(6, 5) GEN(6, 6) GEN(6, 7)
GEN(7, 0) GEN(7, 1) GEN(7, 2) GEN(7, 3) GEN(7, 4) GEN(7, 5) GEN(7, 6) GEN(7, 7)
