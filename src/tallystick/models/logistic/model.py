class LogisticModel: pass
