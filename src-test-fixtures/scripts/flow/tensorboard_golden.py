#!/usr/bin/env python3
"""Writes an event file with TensorBoard's own writer and messages (package tensorboard).

    tensorboard_golden.py OUT.tfevents

A resumed run at second 1.7e9 + 0.25: version, restart after step 300, scalars at 301 and 0, an image at 302.
"""
import sys

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

time = 1.7e9 + 0.25
scalars = lambda **named: Summary(value=[Summary.Value(tag=k.replace("_", "/"), simple_value=v) for k, v in named.items()])
image = Summary.Image(height=2, width=3, colorspace=3, encoded_image_string=bytes(range(200)))
events = [
    Event(wall_time=time, file_version="brain.Event:2"),
    Event(wall_time=time, step=301, session_log=SessionLog(status=SessionLog.START)),
    Event(wall_time=time, step=301, summary=scalars(loss_train=0.5, rate=1e-4)),
    Event(wall_time=time, step=0, summary=scalars(loss_train=float("nan"))),
    Event(wall_time=time, step=302, summary=Summary(value=[Summary.Value(tag="ψ", image=image)])),
]
with open(sys.argv[1], "wb") as f:
    writer = RecordWriter(f)
    for event in events:
        writer.write(event.SerializeToString(deterministic=True))
    writer.flush()
