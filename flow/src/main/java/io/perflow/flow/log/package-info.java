/**
 * Log files of a training: tables for any program, and event files for TensorBoard. A run that
 * resumes continues them without repeating a step.
 */
package io.perflow.flow.log;
